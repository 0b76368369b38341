import { trusted } from '../trusted.ts';

export const HIDE_CURSOR = trusted('\u001b[?25l');
export const SHOW_CURSOR = trusted('\u001b[?25h');

/** The size that is assumed of a terminal that does not tell its own. */
export const DEFAULT_COLUMNS = 80;
export const DEFAULT_ROWS = 24;

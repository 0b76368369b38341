import { trusted } from '../trusted.ts';

export const HIDE_CURSOR = trusted('\u001b[?25l');
export const SHOW_CURSOR = trusted('\u001b[?25h');

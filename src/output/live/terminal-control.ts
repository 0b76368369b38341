import { trusted } from '../trusted.ts';

export const HIDE_CURSOR = trusted('\u001b[?25l');
export const SHOW_CURSOR = trusted('\u001b[?25h');
/** A second screen without a scrollback; leaving it shows what was there before. */
export const ENTER_ALTERNATE_SCREEN = trusted('\u001b[?1049h');
export const LEAVE_ALTERNATE_SCREEN = trusted('\u001b[?1049l');
/** A terminal that knows these shows what is between them at once, without flicker. */
export const BEGIN_FRAME = trusted('\u001b[?2026h');
export const END_FRAME = trusted('\u001b[?2026l');
export const PLAIN_COLOURS = trusted('\u001b[0m');
export const TO_FIRST_LINE = trusted('\u001b[H');
export const CLEAR_LINE_END = trusted('\u001b[K');
export const CLEAR_BELOW = trusted('\u001b[J');

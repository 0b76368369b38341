import type { TerminalText } from '../../core/safe-text.ts';
import { trusted } from '../trusted.ts';

/** Template tag for terminal text: each value must be terminal text already. */
export const styled = (literals: TemplateStringsArray, ...values: readonly TerminalText[]): TerminalText =>
  literals.reduce((text, literal, at) => text + (values[at - 1] ?? '') + literal) as TerminalText;

export const joinText = (parts: readonly TerminalText[], separator = ''): TerminalText =>
  parts.join(separator) as TerminalText;

export const spaces = (count: number): TerminalText => ' '.repeat(Math.max(0, count)) as TerminalText;

export const HIDE_CURSOR = trusted('\u001b[?25l');
export const SHOW_CURSOR = trusted('\u001b[?25h');
export const ENTER_ALTERNATE_SCREEN = trusted('\u001b[?1049h');
export const LEAVE_ALTERNATE_SCREEN = trusted('\u001b[?1049l');
/** A terminal that knows these shows what is between them at once, without flicker. */
export const BEGIN_FRAME = trusted('\u001b[?2026h');
export const END_FRAME = trusted('\u001b[?2026l');
export const PLAIN_COLOURS = trusted('\u001b[0m');
export const TO_FIRST_LINE = trusted('\u001b[H');
export const CLEAR_LINE_END = trusted('\u001b[K');
export const CLEAR_BELOW = trusted('\u001b[J');

export const DEFAULT_COLUMNS = 80;
export const DEFAULT_ROWS = 24;

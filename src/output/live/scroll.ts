import type { Key } from '../../core/context.ts';
import type { TerminalText } from '../../core/safe-text.ts';
import { screenHeight } from './live-screen.ts';

/** The lines of a text that are on the screen. */
export interface Window {
  readonly lines: readonly TerminalText[];
  /** The first line that is shown, counted from 0 and without the header. */
  readonly offset: number;
  /** How many lines below the header are shown, and how many there are. */
  readonly shown: number;
  readonly all: number;
}

export interface WindowOptions {
  /** How many lines at the beginning always stay. */
  readonly header: number;
  readonly offset: number;
  /** Rows and columns of the screen for these lines. */
  readonly rows: number;
  readonly columns: number;
}

/** Returns the lines from `offset` on that fit the screen, below the header. The offset is limited to the last page. */
export function windowOf(text: readonly TerminalText[], options: WindowOptions): Window {
  const { rows, columns } = options;
  const fits = (lines: readonly TerminalText[]): boolean => screenHeight(lines, columns) <= rows;
  const header = text.slice(0, options.header);
  const body = text.slice(options.header);
  let last = body.length;
  while (last > 0 && fits([...header, ...body.slice(last - 1)])) last--;
  const offset = Math.max(0, Math.min(options.offset, last));
  let shown = body.length - offset;
  while (shown > 0 && !fits([...header, ...body.slice(offset, offset + shown)])) shown--;
  return { lines: [...header, ...body.slice(offset, offset + shown)], offset, shown, all: body.length };
}

/** How far a key scrolls, in lines; undefined for a key that does not scroll. `page` is the number of lines shown. */
export function keyStep({ name }: Key, page: number): number | undefined {
  switch (name) {
    case 'up':
    case 'k':
      return -1;
    case 'down':
    case 'j':
      return 1;
    case 'pageup':
      return -page;
    case 'pagedown':
    case ' ':
      return page;
    case 'home':
    case 'g':
      return -Number.MAX_SAFE_INTEGER;
    case 'end':
    case 'G':
      return Number.MAX_SAFE_INTEGER;
    default:
      return undefined;
  }
}

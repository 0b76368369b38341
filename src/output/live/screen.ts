import type { Key, Sink, Terminal } from '../../core/context.ts';
import type { TerminalText } from '../../core/safe-text.ts';
import * as control from '../text/terminal-text.ts';
import { DEFAULT_COLUMNS, DEFAULT_ROWS, joinText, styled } from '../text/terminal-text.ts';
import { textWidth } from '../text/text-width.ts';
import { trusted } from '../trusted.ts';

interface LiveScreenOptions {
  /** `full` has the whole terminal; `inline` is redrawn below what was printed before, and its last frame stays. */
  readonly kind: 'full' | 'inline';
  readonly onKey: (key: Key) => void;
  readonly onResize: () => void;
}

interface ScreenOutput {
  readonly stdout: Sink<TerminalText>;
  readonly terminal: Terminal;
  /** The user's interrupt: it restores the terminal at once. */
  readonly signal: AbortSignal;
}

export interface LiveScreen {
  readonly hasKeys: boolean;
  readonly columns: number;
  readonly rows: number;
  /** Draws the whole frame. Its lines hold no line feeds. Does nothing after the end. Fails as the sink does. */
  draw(lines: readonly TerminalText[]): Promise<void>;
  /** Restores the terminal. An inline screen leaves `last`, or else the last frame. */
  close(last?: readonly TerminalText[]): Promise<void>;
}

/** The terminal is restored by `close`, an interrupt and Ctrl-Z. */
export async function openLiveScreen(output: ScreenOutput, options: LiveScreenOptions): Promise<LiveScreen> {
  const { stdout, terminal, signal } = output;
  const full = options.kind === 'full';
  const start = full ? styled`${control.ENTER_ALTERNATE_SCREEN}${control.HIDE_CURSOR}` : control.HIDE_CURSOR;
  const restore = joinText([
    control.END_FRAME,
    control.PLAIN_COLOURS,
    ...(full ? [control.LEAVE_ALTERNATE_SCREEN] : []),
    control.SHOW_CURSOR,
  ]);
  const columns = (): number => terminal.columns ?? DEFAULT_COLUMNS;
  let frame: readonly TerminalText[] = [];
  let ended = false;
  let started = false;

  const frameText = (lines: readonly TerminalText[]): TerminalText => {
    if (full)
      return joinText([
        control.BEGIN_FRAME,
        control.TO_FIRST_LINE,
        joinText(
          lines.map((line) => styled`${line}${control.CLEAR_LINE_END}`),
          '\n',
        ),
        control.CLEAR_BELOW,
        control.END_FRAME,
      ]);
    // When the terminal became narrower, it has wrapped the lines on the screen: the present width counts.
    const up = screenHeight(frame, columns());
    const clear = trusted(`${up > 0 ? `\u001b[${up}A` : ''}\r${control.CLEAR_BELOW}`);
    return styled`${clear}${linesText(lines)}`;
  };
  // The next write of a frame reports a broken terminal.
  const writeNow = (text: TerminalText): void => {
    stdout.write(text).catch(() => undefined);
  };
  const end = (): TerminalText | undefined => {
    if (ended) return undefined;
    ended = true;
    signal.removeEventListener('abort', onAbort);
    taken.release();
    return started ? restore : undefined;
  };
  const onAbort = (): void => {
    const text = end();
    if (text !== undefined) writeNow(text);
  };

  const taken = await terminal.takeOver({
    onKey: (key) => {
      if (!ended) options.onKey(key);
    },
    onResize: () => {
      if (!ended) options.onResize();
    },
    suspend: () => {
      if (started) writeNow(restore);
    },
    // Draws below what the shell has written since.
    resume: () => {
      if (!started) return;
      const last = frame;
      if (!full) frame = [];
      writeNow(styled`${start}${frameText(last)}`);
      frame = last;
      options.onResize();
    },
  });
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();

  return {
    hasKeys: taken.hasKeys,
    get columns() {
      return columns();
    },
    get rows() {
      return terminal.rows ?? DEFAULT_ROWS;
    },
    draw: async (lines) => {
      if (ended) return;
      const text = styled`${started ? joinText([]) : start}${frameText(lines)}`;
      started = true;
      frame = lines;
      await stdout.write(text);
    },
    close: async (last) => {
      const shown = !ended && !full && last !== undefined && started ? frameText(last) : undefined;
      const text = end();
      if (text !== undefined) await stdout.write(styled`${shown ?? joinText([])}${text}`);
    },
  };
}

const linesText = (lines: readonly TerminalText[]): TerminalText => joinText(lines.map((line) => styled`${line}\n`));

const screenHeight = (lines: readonly string[], width: number): number =>
  lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / width)), 0);

export interface Window {
  readonly lines: readonly TerminalText[];
  readonly offset: number;
  readonly shown: number;
  readonly all: number;
}

export interface WindowOptions {
  readonly header: number;
  readonly offset: number;
  readonly rows: number;
  readonly columns: number;
}

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

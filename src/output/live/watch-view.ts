import type { Sink } from '../../core/context.ts';
import { encodeJson } from '../../core/json.ts';
import { say } from '../../core/safe-text.ts';
import { isTableOutput } from '../formats/format-table.ts';
import { DEFAULT_COLUMNS, DEFAULT_ROWS } from '../layout/terminal-size.ts';
import { textWidth } from '../layout/text-width.ts';
import type { Output } from '../output.ts';
import { render } from '../render.ts';
import { trusted } from '../trusted.ts';
import type { OutputOptions, Result } from '../view.ts';
import { HIDE_CURSOR, SHOW_CURSOR } from './terminal-control.ts';

/** The view of `--watch`: shows the result of each poll. */
export interface WatchView {
  /** Shows the result of a poll. Fails as `render` does. */
  show(result: Result): Promise<void>;
  /** Leaves the last result on the screen and restores the cursor. */
  close(): Promise<void>;
}

/**
 * Opens the view of `--watch`. A table on a terminal is redrawn in place, no taller than the screen. Every other output
 * prints one result after the other, and skips a result whose data did not change. `signal` is the user's interrupt: it
 * restores the cursor at once.
 */
export async function openWatchView(
  options: OutputOptions,
  output: Output & { readonly signal: AbortSignal },
): Promise<WatchView> {
  return output.terminal.output && isTableOutput(options)
    ? redrawingView(options, output)
    : appendingView(options, output);
}

function redrawingView(options: OutputOptions, output: Output & { readonly signal: AbortSignal }): WatchView {
  const { stdout, terminal, signal } = output;
  const width = (): number => terminal.columns ?? DEFAULT_COLUMNS;
  let screenLines: readonly string[] = [];
  let hidden = false;
  const restoreCursor = async (): Promise<void> => {
    if (!hidden) return;
    hidden = false;
    await stdout.write(SHOW_CURSOR);
  };
  const onAbort = (): void => {
    // The next write to a broken terminal fails and ends the command; this one may fail silently.
    restoreCursor().catch(() => undefined);
  };
  signal.addEventListener('abort', onAbort);
  const removeSuspendHooks = terminal.onSuspend({
    suspend: () => {
      if (hidden) stdout.write(SHOW_CURSOR).catch(() => undefined);
    },
    // Draws below what the shell has written since.
    resume: () => {
      if (hidden) stdout.write(trusted(`${HIDE_CURSOR}\r\u001b[J${textOf(screenLines)}`)).catch(() => undefined);
    },
  });
  return {
    show: async (result) => {
      const text = await renderToText(result, options, output);
      if (signal.aborted) return;
      const lines = clipToScreen(text.split('\n').slice(0, -1), (terminal.rows ?? DEFAULT_ROWS) - 1, width());
      // Uses the current width: when the terminal became narrower, it has wrapped the lines on the screen.
      const up = screenHeight(screenLines, width());
      screenLines = lines;
      const start = hidden ? '' : HIDE_CURSOR;
      hidden = true;
      await stdout.write(trusted(`${start}${up > 0 ? `\u001b[${String(up)}A` : ''}\r\u001b[J${textOf(lines)}`));
    },
    close: async () => {
      signal.removeEventListener('abort', onAbort);
      removeSuspendHooks();
      await restoreCursor();
    },
  };
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** Returns everything that a result prints, on stdout and on stderr, as one text. */
async function renderToText(result: Result, options: OutputOptions, output: Output): Promise<string> {
  const buffer = textBuffer();
  await render(result, options, { ...output, stdout: buffer, stderr: buffer });
  const notes = (result.notes ?? []).map((note) => say`${note}\n`);
  return buffer.text() + notes.join('');
}

/** Keeps as many lines as fit on the screen; the last line then says how many are left out. */
function clipToScreen(lines: readonly string[], rows: number, width: number): readonly string[] {
  if (screenHeight(lines, width) <= rows) return lines;
  let kept = lines.length;
  while (kept > 0 && screenHeight(lines.slice(0, kept), width) > rows - 1) kept--;
  return [...lines.slice(0, kept), `... ${String(lines.length - kept)} more lines`];
}

/** How many rows of a screen the lines take when the terminal wraps them. */
const screenHeight = (lines: readonly string[], width: number): number =>
  lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / width)), 0);

function appendingView(options: OutputOptions, output: Output): WatchView {
  let last: string | undefined;
  const separator = isTableOutput(options) ? say`\n` : options.format === 'yaml' ? say`---\n` : say``;
  return {
    show: async (result) => {
      const current = fingerprint(result);
      if (current === last) return;
      if (last !== undefined) await output.stdout.write(separator);
      last = current;
      await render(result, options, output);
    },
    close: async () => undefined,
  };
}

/** Returns text that changes with a result's data. An age that only grew is no change. */
function fingerprint(result: Result): string {
  switch (result.kind) {
    case 'one':
      return encodeJson(result.value);
    case 'many':
      return encodeJson(result.values);
    case 'text':
      return result.text;
    case 'page':
    case 'nothing':
      return '';
  }
}

function textBuffer(): Sink & { text(): string } {
  const parts: string[] = [];
  return {
    write: async (text) => {
      parts.push(text);
    },
    text: () => parts.join(''),
  };
}

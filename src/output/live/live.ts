import type { Sink, Terminal } from '../../core/context.ts';
import { encodeJson } from '../../core/json.ts';
import { safeText, say, type TerminalText } from '../../core/safe-text.ts';
import { ellipsize, textWidth } from '../layout/text-width.ts';
import { render, type Output } from '../render.ts';
import { trusted } from '../trusted.ts';
import type { OutputOptions, Result } from '../view.ts';

const HIDE_CURSOR = trusted('\u001b[?25l');
const SHOW_CURSOR = trusted('\u001b[?25h');

/** What an interrupt ends; the signal is the command's own. */
interface Interruptible {
  readonly signal: AbortSignal;
}

export interface Live {
  /** Shows what a look found. */
  show(result: Result): Promise<void>;
  /** Leaves the last picture standing and the terminal as it was. */
  close(): Promise<void>;
}

/**
 * A result that is looked at again and again (`--watch`). On a terminal a table is drawn in place, no taller than the
 * screen; anything else, and everywhere else, one rendering follows the other, each time the data is another.
 * An interrupt gives the cursor back at once. Fails where render does.
 */
export async function openLive(options: OutputOptions, to: Output & Interruptible): Promise<Live> {
  const table =
    options.jq === undefined &&
    (options.format === undefined || options.format === 'table' || options.format === 'wide');
  return to.terminal.output && table ? redrawing(options, to) : appending(options, to, table);
}

function redrawing(options: OutputOptions, to: Output & Interruptible): Live {
  const { stdout, terminal, signal } = to;
  const width = (): number => terminal.columns ?? 80;
  let drawn: readonly string[] = [];
  let hidden = false;
  const restore = async (): Promise<void> => {
    if (!hidden) return;
    hidden = false;
    await stdout.write(SHOW_CURSOR);
  };
  const onAbort = (): void => {
    // Whoever waits for the command learns of a broken terminal by its next write.
    restore().catch(() => undefined);
  };
  signal.addEventListener('abort', onAbort);
  const stopHooks = terminal.onSuspend({
    suspend: () => {
      if (hidden) stdout.write(SHOW_CURSOR).catch(() => undefined);
    },
    // Below what the shell has written meanwhile.
    resume: () => {
      if (hidden) stdout.write(trusted(`${HIDE_CURSOR}\r\u001b[J${asText(drawn)}`)).catch(() => undefined);
    },
  });
  return {
    show: async (result) => {
      const text = await picture(result, options, to);
      if (signal.aborted) return;
      const lines = clipped(text.split('\n').slice(0, -1), (terminal.rows ?? 24) - 1, width());
      // Counted with the width of now: a terminal made narrower has wrapped what stands on it.
      const up = height(drawn, width());
      drawn = lines;
      const start = hidden ? '' : HIDE_CURSOR;
      hidden = true;
      await stdout.write(trusted(`${start}${up > 0 ? `\u001b[${String(up)}A` : ''}\r\u001b[J${asText(lines)}`));
    },
    close: async () => {
      signal.removeEventListener('abort', onAbort);
      stopHooks();
      await restore();
    },
  };
}

const asText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** All that a look says, what goes to a person included, as one text. */
async function picture(result: Result, options: OutputOptions, to: Output): Promise<string> {
  const sink = collector();
  await render(result, options, { ...to, stdout: sink, stderr: sink });
  const notes = (result.notes ?? []).map((note) => say`${note}\n`);
  return sink.text() + notes.join('');
}

/** As many lines as a screen holds; the last one says how many are left out. */
function clipped(lines: readonly string[], rows: number, width: number): readonly string[] {
  if (height(lines, width) <= rows) return lines;
  let kept = lines.length;
  while (kept > 0 && height(lines.slice(0, kept), width) > rows - 1) kept--;
  return [...lines.slice(0, kept), `... ${String(lines.length - kept)} more lines`];
}

/** Lines of a screen that lines of text take. */
const height = (lines: readonly string[], width: number): number =>
  lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / width)), 0);

function appending(options: OutputOptions, to: Output, table: boolean): Live {
  let last: string | undefined;
  return {
    show: async (result) => {
      const seen = fingerprint(result);
      if (seen === last) return;
      if (last !== undefined) await to.stdout.write(table ? say`\n` : options.format === 'yaml' ? say`---\n` : say``);
      last = seen;
      await render(result, options, to);
    },
    close: async () => undefined,
  };
}

/** Tells one result's data from another's; ages that only grow older are no change. */
function fingerprint(result: Result): string {
  switch (result.kind) {
    case 'one':
      return encodeJson(result.value);
    case 'many':
      return encodeJson(result.values);
    case 'text':
      return result.text;
    case 'nothing':
      return '';
  }
}

function collector(): Sink & { text(): string } {
  const parts: string[] = [];
  return {
    write: async (text) => {
      parts.push(text);
    },
    text: () => parts.join(''),
  };
}

export interface Spinner {
  update(text: string): void;
  stop(): void;
}

const STILL: Spinner = { update: () => undefined, stop: () => undefined };

interface SpinnerOutput extends Interruptible {
  readonly stderr: Sink<TerminalText>;
  readonly terminal: Terminal;
}

/**
 * A spinner on stderr, one line at most; nothing at all where stderr is no terminal. An interrupt clears the line and
 * gives the cursor back at once.
 */
export async function openSpinner(to: SpinnerOutput, text: string): Promise<Spinner> {
  const { terminal, signal } = to;
  if (!terminal.errors) return STILL;
  const [{ default: ora }, { terminalStream }] = await Promise.all([import('ora'), import('./terminal-stream.ts')]);
  if (signal.aborted) return STILL;
  const stream = terminalStream(to.stderr, terminal.columns);
  const line = (said: string): string =>
    ellipsize([{ text: safeText(said) }], (terminal.columns ?? 80) - 3)
      .map((piece) => piece.text)
      .join('');
  // The cursor is hidden here: the library would hang its restoring on the process. Keys are left alone, or Ctrl-C
  // would not be a signal any more.
  stream.write(HIDE_CURSOR);
  const spinner = ora({
    // What a spinner draws with is there, which is all it asks of a stream.
    stream: stream as unknown as NodeJS.WritableStream,
    text: line(text),
    color: terminal.colour.errors ? 'cyan' : false,
    isEnabled: true,
    hideCursor: false,
    discardStdin: false,
  }).start();
  const stopHooks = terminal.onSuspend({
    suspend: () => stream.write(`\r\u001b[K${SHOW_CURSOR}`),
    resume: () => stream.write(HIDE_CURSOR),
  });
  const stop = (): void => {
    if (!spinner.isSpinning) return;
    stopHooks();
    signal.removeEventListener('abort', stop);
    spinner.stop();
    stream.write(SHOW_CURSOR);
  };
  signal.addEventListener('abort', stop);
  return {
    update: (said) => {
      spinner.text = line(said);
    },
    stop,
  };
}

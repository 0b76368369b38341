import type { Sink, Terminal } from '../../core/context.ts';
import { safeText, type TerminalText } from '../../core/safe-text.ts';
import { DEFAULT_COLUMNS, HIDE_CURSOR, SHOW_CURSOR } from '../text/terminal-text.ts';
import { ellipsize } from '../text/text-width.ts';
import { trusted } from '../trusted.ts';

export interface Spinner {
  update(text: string): void;
  stop(): void;
}

interface SpinnerOutput {
  readonly stderr: Sink<TerminalText>;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

const NO_SPINNER: Spinner = { update: () => undefined, stop: () => undefined };

const SYMBOL_COLUMNS = 3;

/** Does nothing when stderr cannot redraw. An interrupt clears the line and restores the cursor. */
export async function openSpinner({ stderr, terminal, signal }: SpinnerOutput, text: string): Promise<Spinner> {
  if (!terminal.errors || !terminal.redraws) return NO_SPINNER;
  const { default: ora } = await import('ora');
  if (signal.aborted) return NO_SPINNER;
  const stream = terminalStream(stderr, terminal.columns);
  const fitLine = (line: string): string =>
    ellipsize([{ text: safeText(line) }], (terminal.columns ?? DEFAULT_COLUMNS) - SYMBOL_COLUMNS)
      .map((piece) => piece.text)
      .join('');
  // The cursor is hidden here and not by ora, which would add an exit handler to the process.
  stream.write(HIDE_CURSOR);
  const spinner = ora({
    stream,
    text: fitLine(text),
    color: terminal.colour.errors ? 'cyan' : false,
    isEnabled: true,
    hideCursor: false,
    // When ora discards input, Ctrl-C is no signal any more.
    discardStdin: false,
  }).start();
  const removeSuspendHooks = terminal.onSuspend({
    suspend: () => stream.write(`\r\u001b[K${SHOW_CURSOR}`),
    resume: () => stream.write(HIDE_CURSOR),
  });
  const stop = (): void => {
    if (!spinner.isSpinning) return;
    removeSuspendHooks();
    signal.removeEventListener('abort', stop);
    spinner.stop();
    stream.write(SHOW_CURSOR);
  };
  signal.addEventListener('abort', stop);
  return {
    update: (next) => {
      spinner.text = fitLine(next);
    },
    stop,
  };
}

/** Only the members that ora uses. Must not buffer: ora recognizes its own writes by their timing. */
function terminalStream(sink: Sink<TerminalText>, columns: number | undefined): NodeJS.WritableStream {
  const write = (text: string): boolean => {
    // A broken terminal is reported by the next write of data, not by a spinner.
    sink.write(trusted(text)).catch(() => undefined);
    return true;
  };
  return {
    isTTY: true,
    columns: columns ?? DEFAULT_COLUMNS,
    write,
    cursorTo: (column: number) => write(`\u001b[${column + 1}G`),
    moveCursor: (_columns: number, lines: number) => write(lines < 0 ? `\u001b[${-lines}A` : ''),
    clearLine: () => write('\u001b[K'),
  } as unknown as NodeJS.WritableStream;
}

import type { Sink, Terminal } from '../../core/context.ts';
import { safeText, type TerminalText } from '../../core/safe-text.ts';
import { DEFAULT_COLUMNS, HIDE_CURSOR, SHOW_CURSOR } from '../text/terminal-text.ts';
import { ellipsize } from '../text/text-width.ts';

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
  const [{ default: ora }, { terminalStream }] = await Promise.all([import('ora'), import('./terminal-stream.ts')]);
  if (signal.aborted) return NO_SPINNER;
  const stream = terminalStream(stderr, terminal.columns);
  const fitLine = (line: string): string =>
    ellipsize([{ text: safeText(line) }], (terminal.columns ?? DEFAULT_COLUMNS) - SYMBOL_COLUMNS)
      .map((piece) => piece.text)
      .join('');
  // The cursor is hidden here and not by ora, which would add an exit handler to the process.
  stream.write(HIDE_CURSOR);
  const spinner = ora({
    // The stream has only the members that ora uses.
    stream: stream as unknown as NodeJS.WritableStream,
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

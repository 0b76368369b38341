import type { Sink } from '../../core/context.ts';
import type { TerminalText } from '../../core/safe-text.ts';
import { trusted } from '../trusted.ts';

/** The little of a terminal's stream that a spinner draws with. */
interface TerminalStream {
  readonly isTTY: true;
  readonly columns: number;
  write(text: string): boolean;
  cursorTo(column: number): void;
  moveCursor(columns: number, lines: number): void;
  /** Clears from the cursor to the end of the line. */
  clearLine(): void;
}

/**
 * A sink as a stream for a spinner. It writes at once and never holds anything back: the spinner tells its own writes
 * from others by when they happen.
 */
export function terminalStream(sink: Sink<TerminalText>, columns: number | undefined): TerminalStream {
  const write = (text: string): boolean => {
    // A terminal that is gone is noticed by whoever writes something that matters.
    sink.write(trusted(text)).catch(() => undefined);
    return true;
  };
  return {
    isTTY: true,
    columns: columns ?? 80,
    write,
    cursorTo: (column) => write(`\u001b[${String(column + 1)}G`),
    moveCursor: (_columns, lines) => write(lines < 0 ? `\u001b[${String(-lines)}A` : ''),
    clearLine: () => write('\u001b[K'),
  };
}

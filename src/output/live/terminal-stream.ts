import type { Sink } from '../../core/context.ts';
import type { TerminalText } from '../../core/safe-text.ts';
import { DEFAULT_COLUMNS } from '../text/terminal-text.ts';
import { trusted } from '../trusted.ts';

interface TerminalStream {
  readonly isTTY: true;
  readonly columns: number;
  write(text: string): boolean;
  cursorTo(column: number): void;
  moveCursor(columns: number, lines: number): void;
  clearLine(): void;
}

/** Must not buffer: ora recognizes its own writes by their timing. */
export function terminalStream(sink: Sink<TerminalText>, columns: number | undefined): TerminalStream {
  const write = (text: string): boolean => {
    // A broken terminal is reported by the next write of data, not by a spinner.
    sink.write(trusted(text)).catch(() => undefined);
    return true;
  };
  return {
    isTTY: true,
    columns: columns ?? DEFAULT_COLUMNS,
    write,
    cursorTo: (column) => write(`\u001b[${column + 1}G`),
    moveCursor: (_columns, lines) => write(lines < 0 ? `\u001b[${-lines}A` : ''),
    clearLine: () => write('\u001b[K'),
  };
}

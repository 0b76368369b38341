import type { Sink, Terminal } from '../../../src/core/context.ts';
import type { Output } from '../../../src/output/output.ts';
import type { OutputOptions } from '../../../src/output/view.ts';

/** A fixed current time, a little more than two days after the times in the rows. */
export const NOW = Date.UTC(2026, 0, 3, 12);

export interface Screen extends Output {
  readonly signal: AbortSignal;
  abort(): void;
  out(): string;
  err(): string;
}

interface ScreenOptions {
  readonly tty?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly colour?: boolean;
}

/** The output of a test: sinks that collect, a terminal of a given size, a clock that does not move. */
export function screen({ tty = false, columns = 80, rows = 24, colour = false }: ScreenOptions = {}): Screen {
  const stdout = collector();
  const stderr = collector();
  const terminal: Terminal = {
    output: tty,
    errors: tty,
    canAsk: tty,
    columns: tty ? columns : undefined,
    rows: tty ? rows : undefined,
    errorColumns: tty ? columns : undefined,
    colour: { output: colour, errors: colour },
    onSuspend: () => () => undefined,
  };
  const controller = new AbortController();
  return {
    stdout,
    stderr,
    terminal,
    serviceNow: () => NOW,
    signal: controller.signal,
    abort: () => {
      controller.abort(new Error('interrupted'));
    },
    out: () => stdout.parts.join(''),
    err: () => stderr.parts.join(''),
  };
}

export const as = (options: Partial<OutputOptions> = {}): OutputOptions => ({
  format: undefined,
  fields: undefined,
  jq: undefined,
  raw: false,
  ...options,
});

function collector(): Sink & { readonly parts: string[] } {
  const parts: string[] = [];
  return {
    parts,
    write: (text) => {
      parts.push(text);
      return Promise.resolve();
    },
  };
}

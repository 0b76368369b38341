import { NO_WORDS } from '../../../src/core/message.ts';
import type { Key, LiveHooks, Sink, Terminal } from '../../../src/core/context.ts';
import type { Output, OutputOptions } from '../../../src/output/view.ts';

/** A fixed current time, a little more than two days after the times in the rows. */
export const NOW = Date.UTC(2026, 0, 3, 12);

export interface Screen extends Output {
  readonly signal: AbortSignal;
  abort(): void;
  /** Presses keys by name (`up`) or character. */
  press(...names: readonly string[]): void;
  /** Gives the terminal another size. */
  resize(columns: number, rows: number): void;
  /** What the terminal does before it stops the process, and when the process goes on. */
  suspend(): void;
  resume(): void;
  /** Whether a live view has the terminal. */
  taken(): boolean;
  out(): string;
  err(): string;
}

interface ScreenOptions {
  readonly tty?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly colour?: boolean;
  /** False when keys cannot be read; true by default. */
  readonly keys?: boolean;
}

/** The output of a test: sinks that collect, a terminal of a given size, a clock that does not move. */
export function screen({
  tty = false,
  columns = 80,
  rows = 24,
  colour = false,
  keys = true,
}: ScreenOptions = {}): Screen {
  const stdout = collector();
  const stderr = collector();
  const size = { columns, rows };
  const views = new Set<LiveHooks>();
  const terminal: Terminal = {
    output: tty,
    outputClosed: false,
    errors: tty,
    redraws: tty,
    canAsk: tty,
    get columns() {
      return tty ? size.columns : undefined;
    },
    get rows() {
      return tty ? size.rows : undefined;
    },
    get errorColumns() {
      return tty ? size.columns : undefined;
    },
    colour: { output: colour, errors: colour },
    onSuspend: () => () => undefined,
    takeOver: (view) => {
      views.add(view);
      return Promise.resolve({
        hasKeys: keys,
        release: () => {
          views.delete(view);
        },
      });
    },
  };
  const controller = new AbortController();
  return {
    settings: { accountWords: NO_WORDS },
    stdout,
    stderr,
    terminal,
    serviceNow: () => NOW,
    signal: controller.signal,
    abort: () => {
      controller.abort(new Error('interrupted'));
    },
    press: (...names) => {
      for (const name of names) for (const view of views) view.onKey(keyOf(name));
    },
    resize: (...[newColumns, newRows]) => {
      Object.assign(size, { columns: newColumns, rows: newRows });
      for (const view of views) view.onResize();
    },
    suspend: () => {
      for (const view of views) view.suspend();
    },
    resume: () => {
      for (const view of views) view.resume();
    },
    taken: () => views.size > 0,
    out: () => stdout.parts.join(''),
    err: () => stderr.parts.join(''),
  };
}

const keyOf = (name: string): Key => ({ name, text: Array.from(name).length === 1 ? name : undefined });

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

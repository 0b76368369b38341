import { PassThrough, Readable, Writable } from 'node:stream';
import type { SuspendHooks } from '../../../src/core/context.ts';
import type { StopSignal } from '../../../src/host/process/signals.ts';
import type { Input, Output, Runtime } from '../../../src/host/runtime.ts';
import { createTestClock, type TestClock } from '../clocks/test-clock.ts';
import { temporaryDirectory } from '../files/temporary-directory.ts';

export interface TestWorldOptions {
  /** What is piped in; absent, the input is empty. On a terminal, use `type`. */
  readonly stdin?: string | Uint8Array;
  /** Which streams are a terminal: all, none (default), or each by name. */
  readonly tty?: boolean | { readonly stdin?: boolean; readonly stdout?: boolean; readonly stderr?: boolean };
  /** Of the terminal; 80 by default. */
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: TestClock;
  readonly platform?: string;
}

export interface TestWorld extends Runtime {
  readonly clock: TestClock;
  /** A directory of this world's own: its home and its working directory lie in it. Gone when the test ends. */
  readonly directory: string;
  /** Everything written so far. */
  out(): string;
  err(): string;
  /** Delivers a signal to whoever listens. */
  signal(name: StopSignal): void;
  /** Who is to be told when the terminal stops the process. */
  readonly suspendHooks: ReadonlySet<SuspendHooks>;
  /** Presses keys, one after the other, each once the one before was taken in. */
  type(...keys: readonly string[]): Promise<void>;
  /** Codes that the process was made to end with at once. */
  readonly exits: readonly number[];
}

/** Keys that have no character of their own. */
export const KEYS = { enter: '\r', down: '\u001b[B', up: '\u001b[A', ctrlC: '\u0003', ctrlD: '\u0004' } as const;

/** A world for one test, to be made inside it: nothing of the process's own shows through. */
export function createTestWorld(options: TestWorldOptions = {}): TestWorld {
  const directory = temporaryDirectory();
  const tty = typeof options.tty === 'object' ? options.tty : everywhere(options.tty ?? false);
  const columns = options.columns ?? 80;
  const stdout = collector(tty.stdout ?? false, columns);
  const stderr = collector(tty.stderr ?? false, columns);
  const stdin = tty.stdin === true ? terminalInput() : pipedInput(options.stdin);
  const listeners = new Set<(signal: StopSignal) => void>();
  const suspendHooks = new Set<SuspendHooks>();
  const exits: number[] = [];
  return {
    env: { HOME: directory, PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', ...options.env },
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    clock: options.clock ?? createTestClock(),
    random: () => 0.5,
    platform: options.platform ?? 'linux',
    cwd: directory,
    home: directory,
    signals: {
      on: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      onSuspend: (hooks) => {
        suspendHooks.add(hooks);
        return () => suspendHooks.delete(hooks);
      },
      blocking: (work) => work(),
    },
    holdProgram: () => undefined,
    suspendHooks,
    childStreams: 'ignore',
    exit: (code) => exits.push(code),
    directory,
    out: stdout.text,
    err: stderr.text,
    signal: (name) => {
      for (const listener of [...listeners]) listener(name);
    },
    type: async (...keys) => {
      for (const key of keys) {
        stdin.push(key);
        // A key is taken in over several turns of the event loop; a question redraws between two keys.
        for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      }
    },
    exits,
  };
}

const everywhere = (on: boolean): { stdin: boolean; stdout: boolean; stderr: boolean } => ({
  stdin: on,
  stdout: on,
  stderr: on,
});

function collector(isTTY: boolean, columns: number): { readonly stream: Output; readonly text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return {
    // As Node marks its own: whoever pipes into it does not end it.
    stream: Object.assign(stream, { _isStdio: true, isTTY, ...(isTTY ? { columns, rows: 24 } : {}) }),
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}

function terminalInput(): Input {
  const input = new PassThrough();
  return Object.assign(input, { isTTY: true, setRawMode: () => input });
}

function pipedInput(content: string | Uint8Array | undefined): Input {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return Readable.from(bytes === undefined ? [] : [Buffer.from(bytes)], { objectMode: false });
}

import { PassThrough, Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { SuspendHooks } from '../../../src/core/context.ts';
import type { KeySignal, StopSignal } from '../../../src/host/runtime/signals.ts';
import type { Input, Output, Runtime } from '../../../src/host/runtime/runtime.ts';
import type { GivenSettings } from '../../../src/local/http/operation.ts';
import { createTestClock, type TestClock } from '../clocks/test-clock.ts';
import { temporaryDirectory } from '../files/temporary-directory.ts';

export interface TestWorldOptions {
  /** The piped input; empty by default. On a terminal, use `type`. */
  readonly stdin?: string | Uint8Array;
  /** Which streams are terminals: all, none (default), or each by name. */
  readonly tty?: boolean | { readonly stdin?: boolean; readonly stdout?: boolean; readonly stderr?: boolean };
  /** Columns of the terminal; 80 by default. */
  readonly columns?: number;
  /** Rows of the terminal; 24 by default. */
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: TestClock;
  readonly platform?: string;
  readonly stdoutClosed?: boolean;
  /** The working directory; by default a directory of the world. */
  readonly cwd?: string;
  /** The home folder of the user by the system, which ssh reads; none by default, as on Windows: that of HOME is meant. */
  readonly accountHome?: string;
  /** The number of the user that runs berth; of this process by default. */
  readonly user?: number;
  /** The settings of the local service in this process (`--local`), such as a size of pages. */
  readonly localService?: GivenSettings;
  /** HOME, as root sees it where it belongs to another user. */
  readonly foreignHome?: string;
  /** Takes the arguments of a companion; nothing is started. */
  readonly companion?: (argv: readonly string[]) => Promise<{ tell(word: string): void }>;
}

export interface TestWorld extends Runtime {
  readonly clock: TestClock;
  /** The directory of this world: its home and its working directory. Removed when the test ends. */
  readonly directory: string;
  /** All output so far. */
  out(): string;
  err(): string;
  /** Delivers a signal to all listeners. */
  signal(name: StopSignal): void;
  /** The hooks to call when the terminal suspends the process. */
  readonly suspendHooks: ReadonlySet<SuspendHooks>;
  /** Presses keys one after the other. Each key is sent after the one before was processed. */
  type(...keys: readonly string[]): Promise<void>;
  /** The exit codes with which the process was ended at once. */
  readonly exits: readonly number[];
  /** The signals that keys have sent. */
  readonly raised: readonly KeySignal[];
  /** Gives the terminal on stdout another size. */
  resize(columns: number, rows: number): void;
}

/** The input of keys that are not printable characters. */
export const KEYS = { enter: '\r', down: '\u001b[B', up: '\u001b[A', ctrlC: '\u0003', ctrlD: '\u0004' } as const;

/** Creates a world for one test, independent of the real process. To be called in the test. */
export function createTestWorld(options: TestWorldOptions = {}): TestWorld {
  const directory = temporaryDirectory();
  const tty = typeof options.tty === 'object' ? options.tty : everywhere(options.tty ?? false);
  const size = { columns: options.columns ?? 80, rows: options.rows ?? 24 };
  const stdout = collector(tty.stdout ?? false, size);
  const stderr = collector(tty.stderr ?? false, size);
  const stdin = tty.stdin === true ? terminalInput() : pipedInput(options.stdin);
  const listeners = new Set<(signal: StopSignal) => void>();
  const suspendHooks = new Set<SuspendHooks>();
  const exits: number[] = [];
  const raised: KeySignal[] = [];
  return {
    env: { HOME: directory, PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', ...options.env },
    stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    stdoutClosed: options.stdoutClosed ?? false,
    clock: options.clock ?? createTestClock(),
    random: () => 0.5,
    platform: options.platform ?? 'linux',
    cwd: options.cwd ?? directory,
    home: directory,
    foreignHome: options.foreignHome,
    accountHome: () => options.accountHome,
    user: options.user ?? process.geteuid?.(),
    workerRunner: () => fileURLToPath(new URL('../../../workers/berth_worker.py', import.meta.url)),
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
      raise: (signal) => {
        raised.push(signal);
        if (signal === 'SIGINT') for (const listener of [...listeners]) listener(signal);
        else for (const { suspend } of suspendHooks) suspend();
      },
    },
    holdProgram: () => undefined,
    program: ['berth'],
    companion: options.companion ?? (() => Promise.resolve({ tell: () => undefined })),
    suspendHooks,
    childStreams: 'ignore',
    localService: options.localService ?? {},
    exitsAfterRun: false,
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
        // A key is processed over several turns of the event loop: a question redraws between two keys.
        for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      }
    },
    exits,
    raised,
    resize: (...[newColumns, rows]) => {
      Object.assign(stdout.stream, { columns: newColumns, rows });
      stdout.stream.emit('resize');
    },
  };
}

const everywhere = (on: boolean): { stdin: boolean; stdout: boolean; stderr: boolean } => ({
  stdin: on,
  stdout: on,
  stderr: on,
});

function collector(
  isTTY: boolean,
  size: { readonly columns: number; readonly rows: number },
): { readonly stream: Output; readonly text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return {
    // Node marks its standard streams like this, so that a pipe into them does not end them.
    stream: Object.assign(stream, { _isStdio: true, isTTY, ...(isTTY ? size : {}) }),
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

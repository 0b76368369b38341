import { fstatSync, statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../core/context.ts';
import { localFile } from '../../core/failure.ts';
import type { GivenSettings } from '../../local/index.ts';
import { realClock } from './clock.ts';
import { fileOutput } from './file-output-stream.ts';
import { wasClosed } from './closed-descriptor.ts';
import { realSignals, type Signals } from './signals.ts';

export type Input = Readable & {
  readonly isTTY?: boolean;
  readonly isRaw?: boolean;
  readonly fd?: number;
  setRawMode?(raw: boolean): unknown;
};
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

/** What depends on how berth is installed: as a package, whose launcher says it, or as one executable. */
export interface Installation {
  /** Returns the path of the file that runs a Python file as a worker. Fails with local-file (14) when it cannot be written. */
  workerRunner(): string;
  /** See `Runtime`. */
  holdProgram(): void;
  /** The arguments of this process's executable that come before those of berth. */
  readonly startArguments: readonly string[];
}

/** Everything that a run of berth uses of its process: the process itself, or a replacement in a test. */
export interface Runtime {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** stdout was closed at the start, as after `>&-`: what is written to it is lost without an error. */
  readonly stdoutClosed: boolean;
  readonly clock: Clock;
  /** 0 up to, not including, 1. */
  readonly random: () => number;
  /** Node's name: `linux`, `darwin`, `win32`. */
  readonly platform: string;
  /** Fails with local-file (14) when the directory was removed. */
  readonly cwd: string;
  /** The user's home directory; empty when there is none. */
  readonly home: string;
  /**
   * HOME, when this user is root and HOME belongs to another user, as after `sudo -E`. `home` is then the home of root: what
   * root creates in HOME would keep its owner out.
   */
  readonly foreignHome: string | undefined;
  /** See `Spawn`. */
  readonly accountHome: () => string | undefined;
  /** The number of the user that this process runs as; undefined on systems without user numbers. */
  readonly user: number | undefined;
  /** See `Installation`. */
  workerRunner(): string;
  readonly signals: Signals;
  /** Loads the rest of the program, so that the run can continue when the program is upgraded meanwhile. */
  holdProgram(): void;
  /** The words that start this program. */
  readonly program: readonly string[];
  /** Starts another process of this program: see `Context.background`. */
  background(argv: readonly string[]): Promise<void>;
  /** The standard streams of child processes. */
  readonly childStreams: 'inherit' | 'ignore';
  /** The settings of the local service in this process (`--local`). */
  readonly localService: GivenSettings;
  /** True if the process exits right after the run: the system then closes its connections and ends its signal handlers. */
  readonly exitsAfterRun: boolean;
  /** Ends the process immediately. */
  exit(code: number): void;
}

/**
 * Creates the runtime of this process. Besides the launcher, only this file reads `process`. The streams are opened at
 * their first use, because each takes a millisecond or more.
 */
export function processRuntime(installation: Installation): Runtime {
  let stdout: Output | undefined;
  return {
    env: process.env,
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return (stdout ??= openOutput(1, () => process.stdout));
    },
    get stderr() {
      return process.stderr;
    },
    get stdoutClosed() {
      return wasClosed(1);
    },
    clock: realClock,
    random: Math.random,
    platform: process.platform,
    get cwd() {
      return readCwd();
    },
    get home() {
      return readHome();
    },
    get foreignHome() {
      return readForeignHome();
    },
    accountHome: readAccountHome,
    user: process.geteuid?.(),
    workerRunner: () => installation.workerRunner(),
    signals: realSignals(),
    holdProgram: () => {
      installation.holdProgram();
    },
    get program() {
      return [process.execPath, ...installation.startArguments];
    },
    background: (argv) => startInBackground([...process.execArgv, ...installation.startArguments, ...argv]),
    childStreams: 'inherit',
    localService: {},
    exitsAfterRun: true,
    exit: (code) => process.exit(code),
  };
}

async function startInBackground(args: readonly string[]): Promise<void> {
  const { spawn } = await import('node:child_process');
  await new Promise<void>((resolve) => {
    const options = { detached: true, stdio: 'ignore', windowsHide: true } as const;
    const child = spawn(process.execPath, args, options);
    child.once('error', () => {
      resolve();
    });
    child.once('exit', () => {
      resolve();
    });
    child.unref();
  });
}

/** Returns a stream of the process, or for a file a stream that detects a full disk. */
function openOutput(descriptor: number, stream: () => Output): Output {
  try {
    if (fstatSync(descriptor).isFile()) return fileOutput(descriptor);
  } catch {
    // Node reports a descriptor that does not work.
  }
  return stream();
}

function readCwd(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw localFile(
      'the working directory does not exist any more',
      'Change to a directory that exists, or name files by their full path.',
      error,
    );
  }
}

/** As `os.homedir()`, but never another user's. That module is loaded only where it is needed, because it takes time. */
function readHome(): string {
  try {
    const home = process.platform === 'win32' ? undefined : process.env['HOME'];
    if (home !== undefined && home !== '' && readForeignHome() === undefined) return home;
    const os = process.getBuiltinModule('node:os');
    return home === undefined || home === '' ? os.homedir() : os.userInfo().homedir;
  } catch {
    return '';
  }
}

/** See `Spawn`. A container may run as a user that the system does not know. */
function readAccountHome(): string | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    return process.getBuiltinModule('node:os').userInfo().homedir || undefined;
  } catch {
    return undefined;
  }
}

/** See `Runtime`. */
function readForeignHome(): string | undefined {
  const home = process.env['HOME'];
  if (process.geteuid?.() !== 0 || home === undefined || home === '') return undefined;
  const owner = statSync(home, { throwIfNoEntry: false })?.uid ?? 0;
  return owner === 0 ? undefined : home;
}

import { fstatSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../core/context.ts';
import { localFile } from '../core/failure.ts';
import { realClock } from './clock.ts';
import { fileOutput } from './files/file-output-stream.ts';
import { realSignals, type Signals } from './process/signals.ts';

export type Input = Readable & {
  readonly isTTY?: boolean;
  readonly isRaw?: boolean;
  setRawMode?(raw: boolean): unknown;
};
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };

/** The raw runtime that a run of berth stands in: the process's own, or one that a test made. */
export interface Runtime {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  /** 0 up to, not including, 1. */
  readonly random: () => number;
  /** As Node names it: `linux`, `darwin`, `win32`. */
  readonly platform: string;
  /** Fails with local-file (14) where the directory was removed. */
  readonly cwd: string;
  /** The user's own directory; empty where there is none. */
  readonly home: string;
  readonly signals: Signals;
  /** Reads what of the program is not loaded yet, so that the run goes on where the program is replaced meanwhile. */
  holdProgram(): void;
  /** What child processes get for their streams. */
  readonly childStreams: 'inherit' | 'ignore';
  /** Ends the process at once, whatever is going on. */
  exit(code: number): void;
}

/**
 * The process's own runtime; the only reader of `process` beside the launcher. The streams are opened when they are
 * first used: each costs a millisecond or more. `holdProgram` is the launcher's.
 */
export function processRuntime(holdProgram: () => void): Runtime {
  let stdout: Output | undefined;
  return {
    env: process.env,
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return (stdout ??= outputOf(1, () => process.stdout));
    },
    get stderr() {
      return process.stderr;
    },
    clock: realClock,
    random: Math.random,
    platform: process.platform,
    get cwd() {
      return cwdOf();
    },
    get home() {
      return homeOf();
    },
    signals: realSignals(),
    holdProgram,
    childStreams: 'inherit',
    exit: (code) => process.exit(code),
  };
}

/** A stream of the process, or, where a file stands behind it, one that notices when the disk is full. */
function outputOf(descriptor: number, stream: () => Output): Output {
  try {
    if (fstatSync(descriptor).isFile()) return fileOutput(descriptor);
  } catch {
    // A descriptor that cannot be asked is left to Node.
  }
  return stream();
}

function cwdOf(): string {
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

function homeOf(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

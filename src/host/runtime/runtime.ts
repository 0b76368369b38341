import { EventEmitter } from 'node:events';
import { constants, existsSync, fstatSync, openSync, type Stats, statSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { Clock, Companion } from '../../core/context.ts';
import { asError, localFile } from '../../core/failure.ts';
import { errorCode } from '../../core/files.ts';
import type { Bytes, Milliseconds } from '../../core/unit-types.ts';
import { isNullDevice, realSignals, type Signals } from './signals.ts';
import type { GivenSettings } from '../../local/index.ts';

/** A sleep keeps the process running. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
  sleep: async (milliseconds, signal) => {
    const { setTimeout: pause } = await import('node:timers/promises');
    await pause(clampTimer(milliseconds), undefined, { signal }).catch(() => signal?.throwIfAborted());
  },
  deadline: (milliseconds, onOver) => {
    const timer = setTimeout(onOver, clampTimer(milliseconds));
    return () => {
      clearTimeout(timer);
    };
  },
};

/** 24 days: Node fires a longer timer at once. */
const MAX_TIMER_MS: Milliseconds = 2_147_483_647;

const clampTimer = (milliseconds: Milliseconds): Milliseconds => Math.min(Math.max(0, milliseconds), MAX_TIMER_MS);

/** What the system keeps of a short write to a socket. */
const WRITE_COST: Bytes = 1024;

type Done = (error?: Error | null) => void;

/** Node's streams take longer to load than a help page to print. */
export const byteOutput = (take: (bytes: Uint8Array, done: Done) => void): Output =>
  Object.assign(new EventEmitter(), {
    write: (data: string | Uint8Array, done: Done = () => undefined) => {
      take(typeof data === 'string' ? Buffer.from(data) : data, done);
    },
  });

/**
 * Node's stream treats a short write as complete: a full disk would lose output silently. `write` may be short. What a pipe has no
 * room for, or is more than `most`, and all that follows, goes to the stream of `waiting`.
 */
export function fileOutput(
  descriptor: number,
  waiting: () => Writable,
  most: Bytes = Infinity,
  write: (descriptor: number, bytes: Uint8Array, offset: number) => number = writeSync,
): Output {
  let opened: Writable | undefined;
  let room = most;
  return byteOutput((bytes, done) => {
    let at = 0;
    let failed: Error | undefined;
    room -= Math.max(bytes.byteLength, WRITE_COST);
    try {
      while (room >= 0 && at < bytes.byteLength) at += write(descriptor, bytes, at);
    } catch (error) {
      if (errorCode(error) === 'EAGAIN') room = -1;
      else failed = asError(error);
    }
    if (room >= 0) done(failed);
    // `done` gets the error too; without a listener the event would end the process.
    else (opened ??= waiting().on('error', () => undefined)).write(bytes.subarray(at), done);
  });
}

export type Input = Readable & {
  readonly isTTY?: boolean;
  readonly isRaw?: boolean;
  readonly fd?: number;
  setRawMode?(raw: boolean): unknown;
};
/** That of a terminal is a stream of Node's. */
export interface Output extends EventEmitter {
  /** `done` is called when the system took it all, or with the error. */
  write(data: string | Uint8Array, done?: Done): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export interface Installation {
  /** Local-file (14) when it cannot be written. */
  readonly workerRunner: () => string;
  /** Loads the rest of the program, so that the run survives an upgrade of it. */
  readonly holdProgram: () => void;
  /** Before berth's own. */
  readonly startArguments: readonly string[];
}

export interface Runtime extends Omit<Installation, 'startArguments'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** As after `>&-`: output is lost without an error. */
  readonly stdoutClosed: boolean;
  readonly clock: Clock;
  /** 0 inclusive, 1 exclusive. */
  readonly random: () => number;
  readonly platform: string;
  /** Fails with local-file (14) when the directory was removed. */
  readonly cwd: string;
  /** Empty when there is none. */
  readonly home: string;
  /** HOME of another user when this is root (`sudo -E`): root's files there would lock its owner out. */
  readonly foreignHome: string | undefined;
  readonly accountHome: () => string | undefined;
  /** Undefined on systems without user numbers. */
  readonly user: number | undefined;
  readonly signals: Signals;
  readonly program: readonly string[];
  companion(argv: readonly string[]): Promise<Companion>;
  readonly childStreams: 'inherit' | 'ignore';
  readonly localService: GivenSettings;
  /** The system then closes connections and signal handlers. */
  readonly exitsAfterRun: boolean;
  readonly exit: (code: number) => void;
}

/** Only this file and the launcher read `process`. Streams open lazily: each takes 1 ms or more. */
export function processRuntime(installation: Installation): Runtime {
  let stdout: Output | undefined;
  let stderr: Output | undefined;
  const { HOME: home = '' } = process.env;
  const foreignHome = process.geteuid?.() === 0 && existsSync(home) && statSync(home).uid !== 0 ? home : undefined;
  return {
    ...installation,
    env: process.env,
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return (stdout ??= openFile(1, () => process.stdout) ?? process.stdout);
    },
    get stderr() {
      return (stderr ??= openFile(2, () => process.stderr) ?? process.stderr);
    },
    get stdoutClosed() {
      // Node opens the null device for a stream that is closed at its start.
      return isNullDevice(1, constants.O_RDWR);
    },
    clock: realClock,
    random: Math.random,
    platform: process.platform,
    get cwd() {
      try {
        return process.cwd();
      } catch (error) {
        const hint = 'Change to a directory that exists, or name files by their full path.';
        throw localFile('the working directory does not exist any more', hint, error);
      }
    },
    get home() {
      // As `os.homedir()`, but never another user's. Loaded lazily because it takes time.
      try {
        if (home !== '' && foreignHome === undefined && process.platform !== 'win32') return home;
        const os = process.getBuiltinModule('node:os');
        return foreignHome === undefined ? os.homedir() : os.userInfo().homedir;
      } catch {
        return '';
      }
    },
    foreignHome,
    accountHome: readAccountHome,
    user: process.geteuid?.(),
    signals: realSignals,
    get program() {
      return [process.execPath, ...installation.startArguments];
    },
    companion: (argv) => startCompanion([...process.execArgv, ...installation.startArguments, ...argv]),
    childStreams: 'inherit',
    localService: {},
    exitsAfterRun: true,
    exit: (code) => process.exit(code),
  };
}

/** Its stdin ends with this process, however that ends. */
async function startCompanion(args: readonly string[]): Promise<Companion> {
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, args, {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  if ('unref' in child.stdin) (child.stdin as Socket).unref();
  return {
    tell: (word) => {
      child.stdin.end(`${word}\n`);
    },
  };
}

/** An empty socket, as other programs give one, has room for so much. A write that has to wait could not be interrupted. */
const SOCKET_ROOM: Bytes = 16 * 1024;

export const isNull = (stats: Stats): boolean => stats.isCharacterDevice() && stats.rdev === statSync('/dev/null').rdev;

/** A stream that detects a full disk, or one for a pipe that loads no code of networks; undefined for anything else. */
function openFile(descriptor: number, waiting: () => Writable): Output | undefined {
  try {
    const stats = fstatSync(descriptor);
    if (stats.isFile() || isNull(stats)) return fileOutput(descriptor, waiting);
    if (stats.isSocket()) return fileOutput(descriptor, waiting, SOCKET_ROOM);
    // Opened anew, because a write that blocks could not be interrupted. Only Linux has the path.
    const { O_WRONLY, O_NONBLOCK } = constants;
    return stats.isFIFO()
      ? fileOutput(openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK), waiting)
      : undefined;
  } catch {
    // Node reports a descriptor that does not work.
    return undefined;
  }
}

/** A container may run as a user that the system does not know. */
function readAccountHome(): string | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    return process.getBuiltinModule('node:os').userInfo().homedir || undefined;
  } catch {
    return undefined;
  }
}

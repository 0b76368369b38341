import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { boundAddress } from '../../core/addresses.ts';
import type { ProgramStreams, Spawn, StartedProgram } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, localFile, usage } from '../../core/failure.ts';
import { errorCode, errorReason } from '../../core/files.ts';
import { SECRET_VARIABLES } from '../../settings/settings-table.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { isHangupIgnored, type StopSignal } from '../runtime/signals.ts';
import { createWatcher, isStream, tooManyOpenFiles } from './watcher.ts';

interface OwnProgram {
  readonly child: ChildProcess;
  /** The exit code, as a shell says it; usage (2) or local-file (14) where it did not start. */
  readonly ended: Promise<number>;
}

/** A program for the user, without the keys. It shares the terminal, and ends with this process in whatever way that ends. */
function startOwn(
  runtime: Runtime,
  command: string,
  args: readonly string[],
  stdio: StdioOptions,
  env: Readonly<Record<string, string>> = {},
): OwnProgram {
  const watcher = createWatcher(runtime);
  const [program, words] = withIgnoredHangup(runtime, command, args);
  const options = { stdio, cwd: runtime.cwd, env: { ...withoutKeys(runtime.env), ...env } };
  const child = watcher.start('tree', () => spawn(program, [...words], options));
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      reject(failedToStart(command, error));
    });
    child.once('close', (code, signal) => {
      if (child.pid !== undefined) watcher.remove(child.pid);
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
  return { child, ended };
}

/** Node resets an ignored SIGHUP (`nohup`) for children. A missing program then ends with 127. */
const withIgnoredHangup = (
  { platform, env }: Runtime,
  command: string,
  args: readonly string[],
): readonly [string, readonly string[]] =>
  platform !== 'win32' && isHangupIgnored(env, process.ppid)
    ? ['/bin/sh', ['-c', 'trap "" HUP; exec "$@"', 'sh', command, ...args]]
    : [command, args];

function failedToStart(command: string, error: NodeJS.ErrnoException): Failure {
  if (error.code === 'ENOENT')
    return usage(`there is no program ${JSON.stringify(command)}`, 'Check its name and PATH.');
  if (error.code === 'EACCES') return usage(`${JSON.stringify(command)} cannot be run: permission denied`);
  return localFile(`cannot run ${JSON.stringify(command)}: ${error.code ?? error.message}`, undefined, error);
}

/** For other programs: without the user's keys. */
export const withoutKeys = (env: Runtime['env']): Runtime['env'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET_VARIABLES.includes(name)));

/** Signals of keys reach it from the terminal; others are passed on. */
export async function runProgram(
  runtime: Runtime,
  redirect: (listener: (signal: StopSignal) => void) => () => void,
  ...[command, args, { env, onSignal, onError }]: Parameters<Spawn['run']>
): Promise<number> {
  const { childStreams, stderr } = runtime;
  const stdio: StdioOptions = [childStreams, childStreams, onError === undefined ? childStreams : 'pipe'];
  const { child, ended } = startOwn(runtime, command, args, stdio, env);
  child.stderr?.on('data', (bytes: Uint8Array) => {
    onError?.(bytes);
    stderr.write(bytes);
  });
  const endRedirect = redirect((signal) => {
    onSignal?.(signal);
    const isOfKey = signal === 'SIGINT' || signal === 'SIGQUIT';
    if (!isOfKey || runtime.stdin.isTTY !== true) child.kill(signal);
  });
  try {
    return await ended;
  } finally {
    // Its end may be seen before the signal of the key.
    await new Promise(setImmediate);
    endRedirect();
  }
}

export async function startProgram(
  runtime: Runtime,
  command: string,
  args: readonly string[],
  { env, input, onOutput, onError }: ProgramStreams,
): Promise<StartedProgram> {
  const { child, ended } = startOwn(runtime, command, args, 'pipe', env);
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null || !isStream(stdin)) throw tooManyOpenFiles();
  stderr.on('data', onError);
  await Promise.race([new Promise((resolve) => child.once('spawn', resolve)), ended]);
  // A program may ignore its input.
  void pipeline(input ?? [], stdin).catch(() => undefined);
  return {
    ended: passOn(stdout, onOutput).then(() => ended),
    stop: () => {
      child.kill('SIGTERM');
    },
  };
}

async function passOn(output: Readable, take: ProgramStreams['onOutput']): Promise<void> {
  for await (const bytes of output) await take(bytes as Uint8Array);
}

export async function connectStreams(
  { stdin, stdout }: Pick<Runtime, 'stdin' | 'stdout'>,
  host: string,
  port: number,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host, port });
    socket.setNoDelay(true);
    socket.once('error', (error) => {
      reject(
        new Failure({
          code: 'network',
          exit: EXIT.unavailable,
          message: `could not connect to ${host} port ${String(port)}: ${errorReason(error)}`,
          hint: 'The pod may have just stopped, or moved to another port.',
        }),
      );
    });
    socket.once('connect', () => {
      stdin.pipe(socket);
      socket.pipe(stdout, { end: false });
    });
    const onClosed = (): void => {
      socket.destroy();
    };
    stdout.once('error', onClosed);
    socket.once('close', () => {
      stdout.off('error', onClosed);
      socket.unpipe(stdout);
      stdin.unpipe(socket);
      stdin.pause();
      resolve();
    });
  });
}

export function freePort(address: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      reject(failureOf(error, address, port));
    });
    server.listen({ host: address === '*' ? undefined : address, port, exclusive: true }, () => {
      const { port: found } = boundAddress(server);
      server.close(() => {
        resolve(found);
      });
    });
  });
}

function failureOf(error: Error, address: string, port: number): Failure {
  const code = errorCode(error);
  if (code !== 'EADDRINUSE' && code !== 'EACCES')
    return usage(`cannot listen at ${JSON.stringify(address)}: ${errorReason(error)}`);
  return new Failure({
    code: 'port-in-use',
    exit: EXIT.localFile,
    message: `port ${String(port)} of this machine is ${code === 'EACCES' ? 'not allowed' : 'in use'}`,
    hint: `Choose another one; 0 takes a free one.`,
  });
}

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

export function openInBrowser({ platform, env, cwd }: Runtime, url: string): Promise<boolean> {
  const [command, ...args] = OPENERS[platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true, cwd, env: withoutKeys(env) });
    child.once('error', () => {
      resolve(false);
    });
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { boundAddress } from '../../core/addresses.ts';
import type { OwnKeys, ProgramStreams, Spawn } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, localFile, usage } from '../../core/failure.ts';
import { errorCode, errorReason } from '../../core/files.ts';
import { makeDirectory } from '../../core/regular-files.ts';
import { SECRET_VARIABLES } from '../../settings/settings-table.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { isHangupIgnored, type StopSignal } from '../runtime/signals.ts';
import { createWatcher } from './watcher.ts';

/**
 * A program for the user, without the keys. It shares the terminal, and ends with this process in whatever way that ends.
 * `ended` is the exit code, as a shell says it; usage (2) or local-file (14) where it did not start.
 */
function startOwn(
  runtime: Runtime,
  command: string,
  args: readonly string[],
  stdio: StdioOptions,
  env: Readonly<Record<string, string>> = {},
): { readonly child: ChildProcess; readonly ended: Promise<number> } {
  const watcher = createWatcher(runtime);
  const [program, words] = withIgnoredHangup(runtime, command, args);
  const options = { stdio, cwd: runtime.cwd, env: { ...withoutKeys(runtime.env), ...env } };
  const child = watcher.start('tree', () => spawn(program, [...words], options));
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const why = `cannot run ${JSON.stringify(command)}: ${errorReason(error)}`;
      reject(/^(ENOENT|EACCES)$/.test(error.code ?? '') ? usage(why, 'Check its name and PATH.') : localFile(why));
    });
    child.once('close', (code, signal) => {
      watcher.remove(child);
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
  platform !== 'win32' && isHangupIgnored(env)
    ? ['/bin/sh', ['-c', 'trap "" HUP; exec "$@"', 'sh', command, ...args]]
    : [command, args];

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
): ReturnType<Spawn['start']> {
  const { child, ended } = startOwn(runtime, command, args, 'pipe', env);
  const { stdin, stdout, stderr } = child as ChildProcessWithoutNullStreams;
  stderr.on('data', onError);
  await Promise.race([once(child, 'spawn'), ended]);
  // A program may ignore its input.
  void pipeline(input ?? [], stdin).catch(() => undefined);
  const passOn = async (): Promise<void> => {
    for await (const bytes of stdout) await onOutput(bytes as Uint8Array);
  };
  return {
    ended: passOn().then(() => ended),
    stop: () => {
      child.kill('SIGTERM');
    },
  };
}

export async function connectStreams(
  { stdin, stdout }: Pick<Runtime, 'stdin' | 'stdout'>,
  host: string,
  port: number,
): Promise<void> {
  const socket = connect({ host, port }).setNoDelay(true);
  // The write's callback gets the error too; without a listener the event would end the process.
  const ignored = (): void => undefined;
  stdout.on('error', ignored);
  try {
    await once(socket, 'connect');
    stdin.pipe(socket);
    for await (const bytes of socket)
      if (await new Promise((resolve) => stdout.write(bytes as Uint8Array, resolve))) return;
  } catch (error) {
    throw new Failure({
      code: 'network',
      exit: EXIT.unavailable,
      message: `could not connect to ${host} port ${String(port)}: ${errorReason(error)}`,
      hint: 'The pod may have just stopped, or moved to another port.',
    });
  } finally {
    stdout.off('error', ignored);
    stdin.unpipe(socket).pause();
  }
}

export async function freePort(address: string, port: number): Promise<number> {
  const server = createServer();
  try {
    server.listen({ host: address === '*' ? undefined : address, port, exclusive: true });
    await once(server, 'listening');
    return boundAddress(server).port;
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'EADDRINUSE' && code !== 'EACCES')
      throw usage(`cannot listen at ${JSON.stringify(address)}: ${errorReason(error)}`);
    const message = `port ${String(port)} of this machine is ${code === 'EACCES' ? 'not allowed' : 'in use'}`;
    const hint = 'Choose another one; 0 takes a free one.';
    throw new Failure({ code: 'port-in-use', exit: EXIT.localFile, message, hint });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

export function sshFolder(dataDirectory: string): string {
  const folder = join(dataDirectory, 'ssh');
  makeDirectory(folder, 0o700);
  return folder;
}

/** Key pairs without a passphrase for pods that berth makes, in its own folder. */
export function ownKeys(runtime: Runtime, dataDirectory: string): OwnKeys {
  const folder = sshFolder(dataDirectory);
  return {
    make: async (name) => {
      const file = join(folder, name);
      const words = ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file];
      const ignored = (): void => undefined;
      const program = await startProgram(runtime, 'ssh-keygen', words, { onOutput: ignored, onError: ignored });
      if ((await program.ended) !== 0) throw localFile(`ssh-keygen could not make ${file}`);
      return file;
    },
    find: (name) => {
      const file = join(folder, name);
      return existsSync(file) ? file : undefined;
    },
    remove: (name) => {
      for (const file of [name, `${name}.pub`]) rmSync(join(folder, file), { force: true });
    },
  };
}

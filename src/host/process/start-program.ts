import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { boundAddress } from '../../core/addresses.ts';
import type { ProgramStreams, StartedProgram } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { errorCode, errorReason } from '../../core/files.ts';
import { failedToStart, startWatcher, withIgnoredHangup, withoutKeys } from './process-group.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** Killed when this process ends first, in whatever way. */
export function startProgram(
  runtime: Runtime,
  command: string,
  args: readonly string[],
  { input, onOutput, onError }: ProgramStreams,
): Promise<StartedProgram> {
  return new Promise((resolve, reject) => {
    const watcher = startWatcher(runtime, spawn);
    const [program, words] = withIgnoredHangup(runtime, command, args);
    const child = spawn(program, [...words], { stdio: 'pipe', cwd: runtime.cwd, env: withoutKeys(runtime.env) });
    child.stderr.on('data', onError);
    // A program may ignore its input.
    child.stdin.on('error', () => undefined);
    const closed = new Promise<number>((end) => {
      child.once('close', (code, signal) => {
        watcher?.end('over\n');
        end(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
      });
    });
    const passed = passOn(child.stdout, onOutput);
    child.once('error', (error: NodeJS.ErrnoException) => {
      watcher?.end('over\n');
      reject(failedToStart(command, error));
    });
    child.once('spawn', () => {
      watcher?.write(`watch ${String(child.pid)}\n`);
      void pass(input, child.stdin);
      resolve({
        ended: passed.then(() => closed),
        stop: () => {
          child.kill('SIGTERM');
        },
      });
    });
  });
}

async function passOn(output: AsyncIterable<Uint8Array>, take: ProgramStreams['onOutput']): Promise<void> {
  for await (const bytes of output) await take(bytes);
}

async function pass(input: AsyncIterable<Uint8Array> = nothing(), target: Writable): Promise<void> {
  try {
    for await (const chunk of input) {
      if (target.write(chunk)) continue;
      if (target.destroyed) return;
      await new Promise<void>((resolve) => {
        const goOn = (): void => {
          target.off('drain', goOn).off('close', goOn);
          resolve();
        };
        target.on('drain', goOn).on('close', goOn);
      });
    }
  } finally {
    target.end();
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  yield* [];
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

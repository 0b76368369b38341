import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import type { ProgramStreams, StartedProgram } from '../../core/context.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { withoutKeys } from './environment.ts';
import { failedToStart, startWatcher, withIgnoredHangup } from './user-programs.ts';

/** Starts a program whose streams are passed on. When this process ends first, in whatever way, it is ended too. */
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
    // A program that does not read its input is no error.
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

/** Writes an input to the end, as fast as it is read. */
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

import type { spawn as startProgram } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { Spawn } from '../../core/context.ts';
import { localFile, usage } from '../../core/failure.ts';
import { withoutKeys } from './environment.ts';
import type { Interrupt } from './interrupt.ts';
import { WATCHER_SCRIPT } from './kill-with-parent.ts';
import { startWatcherShell } from './watcher-shell.ts';
import type { Runtime } from '../runtime/runtime.ts';

/**
 * Runs programs that share this terminal. The terminal sends Ctrl-C to the program directly, and berth waits for the
 * program to end. Signals that only berth receives are passed on. Fails with usage (2) when the program does not exist.
 */
export function createSpawn(runtime: Runtime, interrupt: Interrupt): Spawn {
  return {
    run: async (command, args, env) => {
      const [{ spawn }, { constants }] = await Promise.all([import('node:child_process'), import('node:os')]);
      return new Promise((resolve, reject) => {
        const watcher = startWatcher(runtime, spawn);
        const child = spawn(command, [...args], {
          stdio: runtime.childStreams,
          cwd: runtime.cwd,
          env: { ...withoutKeys(runtime.env), ...env },
        });
        if (child.pid !== undefined) watcher?.write(`watch ${String(child.pid)}\n`);
        const endRedirect = interrupt.redirect((signal) => {
          const isOfKey = signal === 'SIGINT' || signal === 'SIGQUIT';
          // The terminal has sent it to the child too.
          if (!isOfKey || runtime.stdin.isTTY !== true) child.kill(signal);
        });
        const cleanUp = (): void => {
          endRedirect();
          watcher?.end('over\n');
        };
        child.once('error', (error: NodeJS.ErrnoException) => {
          cleanUp();
          reject(failedToStart(command, error));
        });
        child.once('exit', (code, signal) => {
          cleanUp();
          resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
        });
      });
    },
  };
}

/**
 * Starts a shell that waits until this process ends, in whatever way, and then kills the child that it was told of, and
 * its descendants. It runs before the child does, so that no child is without it. Returns its standard input.
 */
const startWatcher = ({ platform, env }: Runtime, spawn: typeof startProgram): Writable | undefined =>
  platform === 'win32' ? undefined : startWatcherShell(spawn, env['PATH'], WATCHER_SCRIPT);

function failedToStart(command: string, error: NodeJS.ErrnoException): Error {
  if (error.code === 'ENOENT')
    return usage(`there is no program ${JSON.stringify(command)}`, 'Check its name and PATH.');
  if (error.code === 'EACCES') return usage(`${JSON.stringify(command)} cannot be run: permission denied`);
  return localFile(`cannot run ${JSON.stringify(command)}: ${error.code ?? error.message}`, undefined, error);
}

import type { ChildProcess, spawn as startProgram } from 'node:child_process';
import type { Spawn } from '../../core/context.ts';
import { localFile, usage } from '../../core/failure.ts';
import { withoutKeys } from './environment.ts';
import type { Interrupt } from './interrupt.ts';
import { WATCHER_SCRIPT } from './kill-with-parent.ts';
import { startWatcherShell } from './watcher-shell.ts';
import type { Runtime } from '../runtime.ts';

/**
 * Runs programs that share this terminal. The terminal sends Ctrl-C to the program directly, and berth waits for the
 * program to end. Signals that only berth receives are passed on. Fails with usage (2) when the program does not exist.
 */
export function createSpawn(runtime: Runtime, interrupt: Interrupt): Spawn {
  return {
    run: async (command, args, env) => {
      const [{ spawn }, { constants }] = await Promise.all([import('node:child_process'), import('node:os')]);
      return new Promise((resolve, reject) => {
        const child = spawn(command, [...args], {
          stdio: runtime.childStreams,
          cwd: runtime.cwd,
          env: { ...withoutKeys(runtime.env), ...env },
        });
        const stopWatcher = startWatcher(runtime, child, spawn);
        const endRedirect = interrupt.redirect((signal) => {
          if (signal !== 'SIGINT' || runtime.stdin.isTTY !== true) child.kill(signal);
        });
        const cleanUp = (): void => {
          endRedirect();
          stopWatcher();
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
 * Starts a shell that waits until this process ends, in whatever way, and then kills the child and its descendants.
 * Returns a function that ends the shell instead.
 */
function startWatcher({ platform, env }: Runtime, child: ChildProcess, spawn: typeof startProgram): () => void {
  if (child.pid === undefined || platform === 'win32') return () => undefined;
  const input = startWatcherShell(spawn, env['PATH'], WATCHER_SCRIPT, String(child.pid));
  return () => {
    input.end('over\n');
  };
}

function failedToStart(command: string, error: NodeJS.ErrnoException): Error {
  if (error.code === 'ENOENT')
    return usage(`there is no program ${JSON.stringify(command)}`, 'Check its name and PATH.');
  if (error.code === 'EACCES') return usage(`${JSON.stringify(command)} cannot be run: permission denied`);
  return localFile(`cannot run ${JSON.stringify(command)}: ${error.code ?? error.message}`, undefined, error);
}

import type { ChildProcess, spawn as startProgram } from 'node:child_process';
import type { Spawn } from '../../core/context.ts';
import { localFile, usage } from '../../core/failure.ts';
import { KEY_VARIABLES } from '../../settings/table.ts';
import type { Interrupt } from './interrupt.ts';
import { WATCHER } from './kill-with-parent.ts';
import type { Runtime } from '../runtime.ts';

/**
 * Runs programs on this terminal. While one runs, Ctrl-C is its own affair: the terminal hands it to the program
 * directly, and berth waits for what the program makes of it. Signals that only berth gets are passed on.
 * Fails with usage (2) where there is no such program.
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
        const stopWatching = watch(runtime, child, spawn);
        const giveBack = interrupt.lend((signal) => {
          if (signal !== 'SIGINT' || runtime.stdin.isTTY !== true) child.kill(signal);
        });
        const over = (): void => {
          giveBack();
          stopWatching();
        };
        child.once('error', (error: NodeJS.ErrnoException) => {
          over();
          reject(failedToStart(command, error));
        });
        child.once('exit', (code, signal) => {
          over();
          resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
        });
      });
    },
  };
}

/** The user's key is for this program alone. */
const withoutKeys = (env: Runtime['env']): Runtime['env'] =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !KEY_VARIABLES.includes(name)));

/**
 * A shell that waits for the end of this process, however it comes, to end the child and all that it started; told so,
 * it goes away instead. In a session of its own, so that what a terminal sends does not reach it. Where it cannot be
 * started, the child runs all the same.
 */
function watch(runtime: Runtime, child: ChildProcess, spawn: typeof startProgram): () => void {
  if (child.pid === undefined || runtime.platform === 'win32') return () => undefined;
  const watcher = spawn('/bin/sh', ['-c', WATCHER, 'berth-watcher', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: runtime.env['PATH'] },
    detached: true,
  });
  watcher.on('error', () => undefined);
  watcher.stdin.on('error', () => undefined);
  watcher.unref();
  return () => {
    watcher.stdin.end('over\n');
  };
}

function failedToStart(command: string, error: NodeJS.ErrnoException): Error {
  if (error.code === 'ENOENT')
    return usage(`there is no program ${JSON.stringify(command)}`, 'Check its name and PATH.');
  if (error.code === 'EACCES') return usage(`${JSON.stringify(command)} cannot be run: permission denied`);
  return localFile(`cannot run ${JSON.stringify(command)}: ${error.code ?? error.message}`, undefined, error);
}

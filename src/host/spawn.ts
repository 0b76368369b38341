import type { Spawn } from '../core/context.ts';
import { localFile, usage } from '../core/failure.ts';
import type { Interrupt } from './interrupt.ts';
import type { World } from './world.ts';

/**
 * Runs programs on this terminal. While one runs, Ctrl-C is its own affair: the terminal hands it to the program
 * directly, and berth waits for what the program makes of it. Signals that only berth gets are passed on.
 * Fails with usage (2) where there is no such program.
 */
export function createSpawn(world: World, interrupt: Interrupt): Spawn {
  return {
    run: async (command, args, env) => {
      const [{ spawn }, { constants }] = await Promise.all([import('node:child_process'), import('node:os')]);
      return new Promise((resolve, reject) => {
        const child = spawn(command, [...args], {
          stdio: world.childStreams,
          cwd: world.cwd,
          env: { ...world.env, ...env },
        });
        const giveBack = interrupt.lend((signal) => {
          if (signal === 'SIGTERM' || world.stdin.isTTY !== true) child.kill(signal);
        });
        child.once('error', (error: NodeJS.ErrnoException) => {
          giveBack();
          reject(failedToStart(command, error));
        });
        child.once('exit', (code, signal) => {
          giveBack();
          resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
        });
      });
    },
  };
}

function failedToStart(command: string, error: NodeJS.ErrnoException): Error {
  if (error.code === 'ENOENT')
    return usage(`there is no program ${JSON.stringify(command)}`, 'Check its name and PATH.');
  if (error.code === 'EACCES') return usage(`${JSON.stringify(command)} cannot be run: permission denied`);
  return localFile(`cannot run ${JSON.stringify(command)}: ${error.code ?? error.message}`, undefined, error);
}

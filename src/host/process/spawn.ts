import { dirname, join } from 'node:path';
import type { Spawn } from '../../core/context.ts';
import { makeDirectory } from '../../core/files/make-directory.ts';
import { withoutKeys } from './environment.ts';
import type { Interrupt } from './interrupt.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { failedToStart, startWatcher, withIgnoredHangup } from './user-programs.ts';

/**
 * Runs programs that share this terminal. The terminal sends Ctrl-C to the program directly, and berth waits for the
 * program to end. Signals that only berth receives are passed on. Fails with usage (2) when the program does not exist.
 */
export function createSpawn(runtime: Runtime, interrupt: Interrupt, dataDirectory: () => string): Spawn {
  return {
    start: async (command, args, streams) => {
      const { startProgram } = await import('./start-program.ts');
      return startProgram(runtime, command, args, streams);
    },
    get self() {
      return runtime.program;
    },
    connect: async (host, port) => (await import('./connect-streams.ts')).connectStreams(runtime, host, port),
    freePort: async (address, port) => (await import('./free-port.ts')).freePort(address, port),
    openInBrowser: async (url) => (await import('./open-in-browser.ts')).openInBrowser(runtime, url),
    accountHome: () => runtime.accountHome(),
    knownHosts: async () => {
      const { mkdirSync, statSync } = await import('node:fs');
      const folder = join(dataDirectory(), 'ssh');
      makeDirectory({ mkdirSync, statSync, dirname }, folder, 0o700);
      return join(folder, 'known_hosts');
    },
    run: async (command, args, env, onSignal) => {
      const [{ spawn }, { constants }] = await Promise.all([import('node:child_process'), import('node:os')]);
      return new Promise((resolve, reject) => {
        const watcher = startWatcher(runtime, spawn);
        const [program, words] = withIgnoredHangup(runtime, command, args);
        const child = spawn(program, [...words], {
          stdio: runtime.childStreams,
          cwd: runtime.cwd,
          env: { ...withoutKeys(runtime.env), ...env },
        });
        if (child.pid !== undefined) watcher?.write(`watch ${String(child.pid)}\n`);
        const endRedirect = interrupt.redirect((signal) => {
          onSignal?.(signal);
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
          // A key of the terminal that ended the child came here too, and its end may be seen first: one more turn of the
          // event loop passes before the signals are not redirected any more.
          setImmediate(() => {
            cleanUp();
            resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
          });
        });
      });
    },
  };
}

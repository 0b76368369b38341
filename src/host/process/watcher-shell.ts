import type { spawn as startProgram } from 'node:child_process';
import type { Writable } from 'node:stream';

/**
 * Starts a shell that outlives this process, and returns its standard input: the script reads there when this process has
 * ended. It has its own session, so that it gets no signals from the terminal. Where there is no shell, nothing happens.
 */
export function startWatcherShell(spawn: typeof startProgram, path: string | undefined, script: string): Writable {
  const shell = spawn('/bin/sh', ['-c', script, 'berth-watcher'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: path },
    detached: true,
  });
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return shell.stdin;
}

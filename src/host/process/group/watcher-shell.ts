import type { spawn as startProgram } from 'node:child_process';
import { Stream, type Writable } from 'node:stream';

/**
 * Starts a shell that outlives this process, and returns its standard input: the script reads there when this process has
 * ended. It has its own session, so that it gets no signals from the terminal. Where there is no shell, nothing happens.
 * Throws EMFILE when there is no free file descriptor.
 */
export function startWatcherShell(spawn: typeof startProgram, path: string | undefined, script: string): Writable {
  const shell = spawn('/bin/sh', ['-c', script, 'berth-watcher'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: path },
    detached: true,
  });
  shell.on('error', () => undefined);
  if (!isStream(shell.stdin)) throw tooManyOpenFiles();
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return shell.stdin;
}

/** False for a stream of a child that was started without a free file descriptor: Node then makes none. */
export const isStream = (stream: unknown): boolean => stream instanceof Stream;

/** The error of a child without streams. Node reports it later, as an event of the child. */
export const tooManyOpenFiles = (): Error => Object.assign(new Error('too many open files'), { code: 'EMFILE' });

/** What is the same for all programs that berth starts for the user. */
import type { spawn as startProgram } from 'node:child_process';
import type { Writable } from 'node:stream';
import { type Failure, localFile, usage } from '../../core/failure.ts';
import { isHangupIgnored } from '../runtime/ignored-hangup.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { WATCHER_SCRIPT } from './group/kill-with-parent.ts';
import { startWatcherShell } from './group/watcher-shell.ts';

/**
 * Starts a shell that waits until this process ends, in whatever way, and then kills the child that it was told of, and
 * its descendants. It runs before the child does, so that no child is without it. Returns its standard input.
 */
export const startWatcher = ({ platform, env }: Runtime, spawn: typeof startProgram): Writable | undefined =>
  platform === 'win32' ? undefined : startWatcherShell(spawn, env['PATH'], WATCHER_SCRIPT);

/**
 * The words that start a program which ignores SIGHUP where this process does (`nohup`): Node resets that for itself and its
 * children. A program that does not exist then ends with 127, as in a shell.
 */
export const withIgnoredHangup = (
  { platform, env }: Pick<Runtime, 'platform' | 'env'>,
  command: string,
  args: readonly string[],
): readonly [string, readonly string[]] =>
  platform !== 'win32' && isHangupIgnored(env, process.ppid)
    ? ['/bin/sh', ['-c', 'trap "" HUP; exec "$@"', 'sh', command, ...args]]
    : [command, args];

/** Why a program could not be started: usage (2), or local-file (14). */
export function failedToStart(command: string, error: NodeJS.ErrnoException): Failure {
  if (error.code === 'ENOENT')
    return usage(`there is no program ${JSON.stringify(command)}`, 'Check its name and PATH.');
  if (error.code === 'EACCES') return usage(`${JSON.stringify(command)} cannot be run: permission denied`);
  return localFile(`cannot run ${JSON.stringify(command)}: ${error.code ?? error.message}`, undefined, error);
}

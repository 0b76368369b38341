import { localFile, type Failure } from '../../core/failure.ts';
import type { Identity } from './process-identity.ts';
import { HEARTBEAT } from './heartbeat.ts';

const seconds = String(HEARTBEAT.lapseMs / 1000);

/** A living holder was met. What to do depends on where it is. */
export function heldBy(
  path: string,
  subject: string,
  holder: Identity | undefined,
  self: Identity,
  state: 'alive' | 'stopped',
): Failure {
  const message = `another berth is at work on ${subject}: ${named(holder, self)}`;
  if (state === 'stopped')
    return localFile(
      `${message}, which is stopped`,
      `Continue it with: kill -CONT ${String(holder?.pid)}. Or end it with: kill -KILL ${String(holder?.pid)}`,
    );
  if (holder !== undefined && isNear(holder, self))
    return localFile(message, 'Let it end, or stop it with Ctrl-C; then go on.');
  return localFile(
    message,
    `It is alive: it keeps changing its lock ${path}. Let it end, or stop it there; then go on. ` +
      `When it is silent for ${seconds} seconds, the lock is taken over.`,
  );
}

/** This process stood still, and another one has taken its place. */
export const takenOver = (path: string, subject: string): Failure =>
  localFile(
    `another berth has taken over ${subject}: this process stood still, or could not reach ${path}, for ${seconds} seconds or more`,
    'Nothing more was written here. Let the other one end, then go on.',
  );

/** Said while a heartbeat is watched. */
export const watching = (path: string, holder: Identity | undefined): string =>
  `${path} is held by ${named(holder)}: waiting up to ${seconds} seconds for a sign of life.\n`;

function named(holder: Identity | undefined, self?: Identity): string {
  if (holder === undefined) return 'a process that cannot be identified';
  const process = `process ${String(holder.pid)}`;
  if (self !== undefined && isNear(holder, self)) return process;
  return `${process} on ${holder.host}${holder.host === self?.host ? ', in another container or namespace' : ''}`;
}

const isNear = (holder: Identity, self: Identity): boolean =>
  self.boot !== undefined && holder.boot === self.boot && holder.namespace === self.namespace;

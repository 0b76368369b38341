import { localFile, type Failure } from '../../core/failure.ts';
import { HEARTBEAT } from './holder-state.ts';
import type { Identity } from './process-identity.ts';

const timeoutSeconds = String(HEARTBEAT.timeoutMs / 1000);

/** The failure when a lock is held by a live process. The hint depends on where that process runs. */
export function heldBy(
  path: string,
  subject: string,
  holder: Identity | undefined,
  self: Identity,
  state: 'alive' | 'stopped',
): Failure {
  const message = `another berth is at work on ${subject}: ${describeHolder(holder, self)}`;
  if (state === 'stopped')
    return localFile(
      `${message}, which is stopped`,
      `Continue it with: kill -CONT ${String(holder?.pid)}. Or end it with: kill -KILL ${String(holder?.pid)}`,
    );
  if (holder !== undefined && isLocal(holder, self))
    return localFile(message, 'Let it end, or stop it with Ctrl-C; then go on.');
  return localFile(
    message,
    `It is alive: it keeps changing its lock ${path}. Let it end, or stop it there; then go on. ` +
      `When it is silent for ${timeoutSeconds} seconds, the lock is taken over.`,
  );
}

/** The failure when this process was suspended for too long and another one took the lock over. */
export const takenOver = (path: string, subject: string): Failure =>
  localFile(
    `another berth has taken over ${subject}: this process stood still, or could not reach ${path}, for ${timeoutSeconds} seconds or more`,
    'Nothing more was written here. Let the other one end, then go on.',
  );

/** The message printed while this process waits for a heartbeat. */
export const waitingForHeartbeat = (path: string, holder: Identity | undefined): string =>
  `${path} is held by ${describeHolder(holder)}: waiting up to ${timeoutSeconds} seconds for a sign of life.\n`;

function describeHolder(holder: Identity | undefined, self?: Identity): string {
  if (holder === undefined) return 'a process that cannot be identified';
  const process = `process ${String(holder.pid)}`;
  if (self !== undefined && isLocal(holder, self)) return process;
  return `${process} on ${holder.host}${holder.host === self?.host ? ', in another container or namespace' : ''}`;
}

const isLocal = (holder: Identity, self: Identity): boolean =>
  self.boot !== undefined && holder.boot === self.boot && holder.namespace === self.namespace;

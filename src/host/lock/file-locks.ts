import { constants, existsSync, promises as fs, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Clock } from '../../core/context.ts';
import { localFile } from '../../core/failure.ts';
import { errorCode, type FileLocks, type HeldLock } from '../../core/files.ts';
import { HOUR_MS, type Milliseconds } from '../../core/unit-types.ts';
import {
  acquire,
  discardPrepared,
  folderOf,
  type Identity,
  isOwned,
  listLeftovers,
  type LockHolder,
  newToken,
  ownerFile,
  ownIdentity,
  prepareLock,
  readHolder,
  removeEmpty,
  removeHolder,
  stateOf,
  writeHeartbeat,
} from './lock-directory.ts';

interface Heartbeat {
  readonly intervalMs: Milliseconds;
  /** By the observer's monotonic clock, never by file times or clocks of other machines. */
  readonly timeoutMs: Milliseconds;
}

const HEARTBEAT: Heartbeat = { intervalMs: 1000, timeoutMs: 10_000 };

/** `silent`: unknown state and no heartbeat for the timeout; `undecided`: not for that long yet. */
type HolderState = 'alive' | 'dead' | 'undecided' | 'silent';

/** Call after every poll, with the holder found and the monotonic time before the poll. */
function createHeartbeatMonitor(
  self: Identity,
  { intervalMs, timeoutMs }: Heartbeat,
): (found: LockHolder, polledAt: Milliseconds) => HolderState {
  let first: string | undefined;
  let last = { text: '', polledAt: 0, silentMs: 0 };
  return ({ token, identity, text }, polledAt) => {
    const state = identity === undefined ? 'unknown' : stateOf(identity, self);
    if (state !== 'unknown') return state;
    const current = `${token} ${text}`;
    first ??= current;
    // A long gap means a suspended machine, maybe the holder's too: it counts as one interval at most.
    const silentMs = last.text === current ? last.silentMs + Math.min(intervalMs, polledAt - last.polledAt) : 0;
    last = { text: current, polledAt, silentMs };
    if (silentMs >= timeoutMs) return 'silent';
    return current === first ? 'undecided' : 'alive';
  };
}

function heldBy(path: string, subject: string, holder: Identity | undefined, self: Identity) {
  const hint = isLocal(holder, self)
    ? 'Let it end, or stop it with Ctrl-C; then go on.'
    : `It keeps changing its lock ${path}. Let it end, or stop it there; then go on.`;
  return localFile(`another berth is at work on ${subject}: ${describeHolder(holder, self)}`, hint);
}

function describeHolder(holder: Identity | undefined, self?: Identity): string {
  if (holder === undefined) return 'a process that cannot be identified';
  const process = `process ${String(holder.pid)}`;
  if (isLocal(holder, self)) return process;
  return `${process} on ${holder.host}${holder.host === self?.host ? ', in another container or namespace' : ''}`;
}

const isLocal = (holder: Identity | undefined, self: Identity | undefined): boolean =>
  holder?.boot !== undefined && holder.boot === self?.boot && holder.namespace === self.namespace;

/** For processes of unknown state, by file system times. */
const UNKNOWN_MAX_AGE_MS = HOUR_MS;

/** After a clock jump a live process may lose its prepared lock; it notices and prepares another. */
function removeLeftovers(path: string, self: Identity, ownToken: string): void {
  try {
    const now = modifiedAt(`${path}.${ownToken}.new`);
    for (const { folder, owner } of listLeftovers(path)) {
      const state = folder.endsWith('.gone') ? 'dead' : owner?.identity && stateOf(owner.identity, self);
      const isUnknown = state === undefined || state === 'unknown';
      if (isUnknown ? now - modifiedAt(folder) > UNKNOWN_MAX_AGE_MS : state === 'dead')
        rmSync(folder, { recursive: true, force: true });
    }
  } catch {
    // Leftovers do no harm; the next process tries again.
  }
}

const modifiedAt = (path: string): number => statSync(path).mtimeMs;

/** Marks that a removed holder may only be suspended: the next one must not share files with it. */
const markerPath = (path: string): string => `${path}.seized`;

/** A removed holder may still have the files open: it then writes to unused ones. `check`: lock lost. */
async function replaceWithCopies(path: string, files: readonly string[], check: () => void): Promise<void> {
  if (!existsSync(markerPath(path))) return;
  for (const file of files) await replaceWithCopy(file, check);
  rmSync(markerPath(path), { force: true });
}

async function replaceWithCopy(path: string, check: () => void): Promise<void> {
  const copy = `${path}.${newToken()}.part`;
  try {
    await fs.copyFile(path, copy, constants.COPYFILE_FICLONE);
    const handle = await fs.open(copy, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    check();
    await fs.rename(copy, path);
  } catch (error) {
    await fs.rm(copy, { force: true });
    // A batch killed early has no results file yet.
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

export interface FileLocksOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** From whom a lock is taken over that may still run. */
  readonly warn?: (text: string) => void;
  /** Must be the same in all processes that share a lock. */
  readonly heartbeat?: Heartbeat;
  /** Tests replace it. */
  readonly rename?: typeof renameSync;
}

/** Short, because most locks are held for a few milliseconds. */
const POLL_MS: Milliseconds = 5;
/** After this with the same holder, the interval is SLOW_POLL_MS. */
const SLOW_AFTER_MS = 1000;
const SLOW_POLL_MS = 50;
/** When a process waits only to find out whether the holder is alive. */
const HEARTBEAT_POLL_MS: Milliseconds = 100;
/** In a row without a holder and without the lock: the file system is at fault. */
const MAX_REFUSALS = 1000;

/** See docs/decisions/0009. */
export function createFileLocks(options: FileLocksOptions): FileLocks {
  const { clock, signal, warn, heartbeat = HEARTBEAT, rename = renameSync } = options;
  let own: Identity | undefined;
  const cleaned = new Set<string>();

  const take: FileLocks['take'] = async (path, { subject, waitMs, files = [] }) => {
    const self = (own ??= ownIdentity());
    const token = newToken();
    const monitor = createHeartbeatMonitor(self, heartbeat);
    const began = clock.monotonic();
    let [prepared, refusals] = [false, 0];
    let lastHolder = { token: '', since: 0 };
    try {
      for (;;) {
        signal?.throwIfAborted();
        if (!prepared) prepareLock(path, token, self);
        prepared = true;
        if (!cleaned.has(path)) removeLeftovers(path, self, token);
        cleaned.add(path);
        const result = acquire(rename, path, token);
        if (result === 'taken') return await ownFiles(hold(path, token, self, subject, heartbeat), path, files);
        if (result === 'lost') prepared = false;
        const now = clock.monotonic();
        const holder = result === 'refused' ? readHolder(path) : undefined;
        if (holder === undefined) {
          if (++refusals > MAX_REFUSALS) throw new Error('the file system refuses to rename a directory');
          if (refusals % 10 === 0) await clock.sleep(POLL_MS, signal);
          continue;
        }
        refusals = 0;
        const state = monitor(holder, now);
        if (state === 'dead' || state === 'silent') {
          if (state === 'silent') {
            // Before it is removed: another process may be the next holder.
            writeFileSync(markerPath(path), '', { mode: 0o600 });
            warn?.(
              `Taking over ${subject} from ${describeHolder(holder.identity)}, silent for 10 seconds: if it still runs, its next write fails.\n`,
            );
          }
          removeHolder(path, holder.token);
          continue;
        }
        if (state !== 'undecided' && clock.monotonic() - began >= waitMs)
          throw heldBy(path, subject, holder.identity, self);
        if (lastHolder.token !== holder.token) lastHolder = { token: holder.token, since: now };
        const pause = now - lastHolder.since > SLOW_AFTER_MS ? SLOW_POLL_MS : POLL_MS * (0.5 + Math.random());
        await clock.sleep(waitMs === 0 ? HEARTBEAT_POLL_MS : pause, signal);
      }
    } catch (error) {
      discardPrepared(path, token);
      throw error;
    }
  };

  const holder: FileLocks['holder'] = async (path) => {
    const self = (own ??= ownIdentity());
    const monitor = createHeartbeatMonitor(self, heartbeat);
    for (;;) {
      const now = clock.monotonic();
      const found = readHolder(path);
      if (found === undefined) return undefined;
      const state = monitor(found, now);
      if (state === 'dead' || state === 'silent') return undefined;
      const { pid, host } = found.identity ?? { pid: 0, host: 'unknown' };
      if (state !== 'undecided') return { pid, host };
      await clock.sleep(HEARTBEAT_POLL_MS, signal);
    }
  };

  return { take, holder };
}

/** No earlier holder may have the files open. Releases the lock when that fails. */
async function ownFiles(lock: HeldLock, path: string, files: readonly string[]): Promise<HeldLock> {
  try {
    await replaceWithCopies(path, files, () => {
      lock.check();
    });
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}

function hold(path: string, token: string, self: Identity, subject: string, heartbeat: Heartbeat): HeldLock {
  const file = ownerFile(path, token);
  let beats = 0;
  const timer = setInterval(() => {
    try {
      writeHeartbeat(file, self, ++beats);
    } catch {
      // The lock was taken over, or the disk fails: the next check reports it.
    }
  }, heartbeat.intervalMs);
  // A held lock does not keep the process running.
  timer.unref();
  return {
    folder: folderOf(path, token),
    check: () => {
      if (!isOwned(file))
        throw localFile(
          `another berth has taken over ${subject}: this process stood still, or could not reach ${path}, for 10 seconds or more`,
          'Nothing more was written here. Let the other one end, then go on.',
        );
    },
    release: () => {
      clearInterval(timer);
      try {
        removeHolder(path, token);
        removeEmpty(path);
      } catch {
        // The lock stays, without a heartbeat from now on.
      }
    },
  };
}

/** On real time, because other processes wait for the end of a turn. */
export const realTurns = {
  after: (milliseconds: Milliseconds, work: () => void): (() => void) => {
    const timer = setTimeout(work, milliseconds);
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
  pause: (milliseconds: Milliseconds): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

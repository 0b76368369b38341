import type { Clock } from '../../core/context.ts';
import type { FileLocks, HeldLock } from '../../core/files/locks.ts';
import { createHeartbeatMonitor, HEARTBEAT, type Heartbeat } from './holder-state.ts';
import {
  acquire,
  discardPrepared,
  folderOf,
  newToken,
  ownerFile,
  prepareLock,
  readHolder,
  realSystem,
  removeEmpty,
  removeHolder,
  type LockSystem,
} from './lock-directory.ts';
import { heldBy, takenOver, waitingForHeartbeat } from './lock-failures.ts';
import { isOwned, writeHeartbeat } from './owner-file.ts';
import { ownIdentity, type Identity } from './process-identity.ts';
import { removeLeftovers } from './remove-leftovers.ts';
import { markForCopies, replaceWithCopies } from './replace-with-copies.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

export interface FileLocksOptions {
  /** Measures how long a holder is silent, and waits. */
  readonly clock: Clock;
  /** Ends every wait, with its reason. */
  readonly signal?: AbortSignal;
  /** Called at most once per lock with the reason why taking it needs seconds. */
  readonly say?: (text: string) => void;
  /** Must be the same in all processes that share a lock. */
  readonly heartbeat?: Heartbeat;
  readonly system?: LockSystem;
}

/** Poll interval of a waiting process: short, because most locks are held for a few milliseconds. */
const POLL_MS: Milliseconds = 5;
/** When the same holder has had the lock for longer than SLOW_AFTER_MS, the interval is SLOW_POLL_MS. */
const SLOW_AFTER_MS = 1000;
const SLOW_POLL_MS = 50;
/** Poll interval when a process waits only to find out whether the holder is alive. */
const HEARTBEAT_POLL_MS: Milliseconds = 100;
/** Attempts in a row that find no holder and still do not get the lock: then the file system is at fault. */
const MAX_REFUSALS = 1000;

/** Creates locks between processes: see docs/decisions/0009. */
export function createFileLocks(options: FileLocksOptions): FileLocks {
  const { clock, signal, say, heartbeat = HEARTBEAT, system = realSystem } = options;
  let own: Identity | undefined;
  const cleaned = new Set<string>();

  const cleanOnce = (path: string, self: Identity, token: string): void => {
    if (cleaned.has(path)) return;
    cleaned.add(path);
    removeLeftovers(path, self, token);
  };

  const take: FileLocks['take'] = async (path, { subject, waitMs, files = [] }) => {
    const self = (own ??= ownIdentity());
    const token = newToken();
    const monitor = createHeartbeatMonitor(self, heartbeat);
    const began = clock.monotonic();
    let said = false;
    let lastHolder = { token: '', since: 0 };
    let prepared = false;
    let refusals = 0;
    try {
      for (;;) {
        signal?.throwIfAborted();
        if (!prepared) prepareLock(path, token, self);
        prepared = true;
        cleanOnce(path, self, token);
        const result = acquire(system, path, token);
        if (result === 'taken') return await ownFiles(hold({ path, token, self, subject, heartbeat }), path, files);
        if (result === 'lost') prepared = false;
        const now = clock.monotonic();
        const holder = result === 'refused' ? readHolder(path) : undefined;
        if (holder === undefined) {
          // The lock is free by now. A file system that keeps refusing is not retried forever.
          if (++refusals > MAX_REFUSALS) throw new Error('the file system refuses to rename a directory');
          if (refusals % 10 === 0) await clock.sleep(POLL_MS, signal);
          continue;
        }
        refusals = 0;
        const state = monitor(holder, now);
        if (state === 'dead' || state === 'silent') {
          if (state === 'silent') markForCopies(path);
          removeHolder(path, holder.token);
          continue;
        }
        if (state !== 'undecided' && clock.monotonic() - began >= waitMs)
          throw heldBy(path, subject, holder.identity, self, state);
        if (state === 'undecided' && waitMs === 0 && !said) {
          said = true;
          say?.(waitingForHeartbeat(path, holder.identity));
        }
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

/** Makes sure that no earlier holder has the files open. Releases the lock when that fails. */
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

interface HeldLockOptions {
  readonly path: string;
  readonly token: string;
  readonly self: Identity;
  readonly subject: string;
  readonly heartbeat: Heartbeat;
}

/** Starts the heartbeat of a lock that was taken; it runs until the lock is released. */
function hold({ path, token, self, subject, heartbeat }: HeldLockOptions): HeldLock {
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
      if (!isOwned(file)) throw takenOver(path, subject);
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

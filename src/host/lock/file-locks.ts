import type { Clock } from '../../core/context.ts';
import type { FileLocks, HeldLock } from '../../core/locks.ts';
import { heldBy, takenOver, watching } from './lock-failures.ts';
import { ownIdentity, type Identity } from './process-identity.ts';
import { isOwned, writeBeat } from './owner-file.ts';
import {
  claim,
  discard,
  folderOf,
  look,
  newToken,
  ownerFile,
  prepare,
  realSystem,
  remove,
  removeEmpty,
  type LockSystem,
} from './lock-directory.ts';
import { markSeized, separateFiles } from './replace-with-copies.ts';
import { sweep } from './remove-leftovers.ts';
import { createWatch, HEARTBEAT, type Heartbeat } from './heartbeat.ts';

export interface FileLocksOptions {
  /** Measures how long a holder has been silent, and waits. */
  readonly clock: Clock;
  /** Ends every wait, with its reason. */
  readonly signal?: AbortSignal;
  /** Told, once a lock, why it takes seconds to get it. */
  readonly say?: (text: string) => void;
  /** All processes that share a lock must have the same. */
  readonly heartbeat?: Heartbeat;
  readonly system?: LockSystem;
}

/** How long a waiting process sleeps between two looks: few milliseconds, since most locks are held for that long. */
const LOOK_MS = 5;
/** The same once one holder has had the lock for so long. */
const SLOW_AFTER_MS = 1000;
const SLOW_LOOK_MS = 50;
/** Where a living holder is not waited for, only a heartbeat is watched. */
const BEAT_LOOK_MS = 100;
/** Attempts in a row that find no holder and get no lock: then the file system is at fault. */
const MOST_REFUSALS = 1000;

/** Locks between processes: see docs/decisions/0009. */
export function createFileLocks(options: FileLocksOptions): FileLocks {
  const { clock, signal, say, heartbeat = HEARTBEAT, system = realSystem } = options;
  let own: Identity | undefined;
  const swept = new Set<string>();

  const sweepOnce = (path: string, self: Identity, token: string): void => {
    if (swept.has(path)) return;
    swept.add(path);
    sweep(path, self, token);
  };

  const take: FileLocks['take'] = async (path, { subject, waitMs, files = [] }) => {
    const self = (own ??= ownIdentity());
    const token = newToken();
    const watch = createWatch(self, heartbeat);
    const began = clock.monotonic();
    let said = false;
    let met = { token: '', at: 0 };
    let prepared = false;
    let refusals = 0;
    try {
      for (;;) {
        signal?.throwIfAborted();
        if (!prepared) prepare(path, token, self);
        prepared = true;
        sweepOnce(path, self, token);
        const result = claim(system, path, token);
        if (result === 'taken') return await ownFiles(hold({ path, token, self, subject, heartbeat }), path, files);
        if (result === 'lost') prepared = false;
        const at = clock.monotonic();
        const found = result === 'refused' ? look(path) : undefined;
        if (found === undefined) {
          // Free by now. A system that refuses all the same is not asked for ever.
          if (++refusals > MOST_REFUSALS) throw new Error('the file system refuses to rename a directory');
          if (refusals % 10 === 0) await clock.sleep(LOOK_MS, signal);
          continue;
        }
        refusals = 0;
        const verdict = watch.verdict(found, at);
        if (verdict === 'dead' || verdict === 'silent') {
          if (verdict === 'silent') markSeized(path);
          remove(path, found.token);
          continue;
        }
        if (verdict !== 'undecided' && clock.monotonic() - began >= waitMs)
          throw heldBy(path, subject, found.identity, self, verdict);
        if (verdict === 'undecided' && waitMs === 0 && !said) {
          said = true;
          say?.(watching(path, found.identity));
        }
        if (met.token !== found.token) met = { token: found.token, at };
        const pause = at - met.at > SLOW_AFTER_MS ? SLOW_LOOK_MS : LOOK_MS * (0.5 + Math.random());
        await clock.sleep(waitMs === 0 ? BEAT_LOOK_MS : pause, signal);
      }
    } catch (error) {
      discard(path, token);
      throw error;
    }
  };

  const holder: FileLocks['holder'] = async (path) => {
    const self = (own ??= ownIdentity());
    const watch = createWatch(self, heartbeat);
    for (;;) {
      const at = clock.monotonic();
      const found = look(path);
      if (found === undefined) return undefined;
      const verdict = watch.verdict(found, at);
      if (verdict === 'dead' || verdict === 'silent') return undefined;
      const { pid, host } = found.identity ?? { pid: 0, host: 'unknown' };
      if (verdict !== 'undecided') return { pid, host };
      await clock.sleep(BEAT_LOOK_MS, signal);
    }
  };

  return { take, holder };
}

/** Makes sure that no earlier holder has the files open; where that fails, nobody holds the lock. */
async function ownFiles(lock: HeldLock, path: string, files: readonly string[]): Promise<HeldLock> {
  try {
    await separateFiles(path, files, () => {
      lock.check();
    });
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface Holding {
  readonly path: string;
  readonly token: string;
  readonly self: Identity;
  readonly subject: string;
  readonly heartbeat: Heartbeat;
}

/** The lock is in its place: from now on its owner file changes until it is let go of. */
function hold({ path, token, self, subject, heartbeat }: Holding): HeldLock {
  const file = ownerFile(path, token);
  let beats = 0;
  const timer = setInterval(() => {
    try {
      writeBeat(file, self, ++beats);
    } catch {
      // Taken over, or the disk is in trouble: the next check tells.
    }
  }, heartbeat.beatMs);
  // A lock keeps no process alive.
  timer.unref();
  return {
    folder: folderOf(path, token),
    check: () => {
      if (!isOwned(file)) throw takenOver(path, subject);
    },
    release: () => {
      clearInterval(timer);
      try {
        remove(path, token);
        removeEmpty(path);
      } catch {
        // It stays, and is silent from now on.
      }
    },
  };
}

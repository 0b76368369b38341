import type { LockHolder } from '../ports/files.ts';
import type { Milliseconds } from '../unit-types.ts';

/** A lock that this process holds. */
export interface HeldLock {
  /**
   * A directory that exists only while this process holds the lock. A file that is written here and then renamed to its
   * final path cannot overwrite what a later holder wrote: once the lock is taken over, the rename fails with ENOENT.
   */
  readonly folder: string;
  /** Fails with local-file (14) when another process has taken the lock over. Call it before every write. */
  check(): void;
  /** Releases the lock. Never fails. Does nothing when the lock was taken over. */
  release(): void;
}

export interface LockOptions {
  /** What the lock protects, for messages: `this batch`. */
  readonly subject: string;
  /** How long to wait for a live holder. */
  readonly waitMs: Milliseconds;
  /**
   * Files that the holder writes in place. When the lock is taken from a holder that may be suspended rather than dead,
   * each file is first replaced by a copy, so that the old holder's open file is no longer the one that is read.
   */
  readonly files?: readonly string[];
}

/** Locks between processes, also across containers and machines that share a file system. */
export interface FileLocks {
  /**
   * Takes the lock at a path whose directory exists. A lock of a dead holder is taken over. Fails with local-file (14)
   * when the holder is still alive after `waitMs`, and with the interrupt's reason.
   */
  take(path: string, options: LockOptions): Promise<HeldLock>;
  /** The holder of the lock; undefined when there is none. When only a heartbeat can tell, this takes seconds. */
  holder(path: string): Promise<LockHolder | undefined>;
}

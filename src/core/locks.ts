import type { LockHolder } from './ports/files.ts';

/** A lock that this process holds. */
export interface HeldLock {
  /**
   * A directory that exists only while this process holds the lock. A file that is written there and then renamed to
   * its place cannot replace what a later holder wrote: once the lock is taken over, the rename fails with ENOENT.
   */
  readonly folder: string;
  /** Fails with local-file (14) where another process has taken the lock over. Call it before every write. */
  check(): void;
  /** Lets go of the lock. Never fails; does nothing where the lock was taken over. */
  release(): void;
}

export interface LockOptions {
  /** What only the holder works on, for messages: `this batch`. */
  readonly subject: string;
  /** How long to wait for a holder that is alive. Milliseconds. */
  readonly waitMs: number;
  /**
   * Files that the holder writes in place. Where the lock is taken from a holder that may only be stopped, each is first
   * replaced by a copy: what that holder has open is then a file that nobody reads any more.
   */
  readonly files?: readonly string[];
}

/** Locks between processes, also of different containers and machines that share a file system. */
export interface FileLocks {
  /**
   * Takes the lock at a path whose directory exists. A lock whose holder is dead is taken over. Fails with local-file
   * (14) where the holder is alive after `waitMs`, and with the interrupt's reason.
   */
  take(path: string, options: LockOptions): Promise<HeldLock>;
  /** Who holds the lock; undefined where nobody does. Where only a heartbeat can tell, this takes seconds. */
  holder(path: string): Promise<LockHolder | undefined>;
}

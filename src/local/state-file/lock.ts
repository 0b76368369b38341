import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, localFile } from '../../core/failure.ts';
import { codeOf, reasonOf } from '../../core/file-trouble.ts';
import { makeFolder } from '../../core/folders.ts';

/**
 * Works on a state file while no other process does; makes its folder where there is none. Waits for half a minute.
 * Fails with local-file (14).
 */
export async function locked(path: string, work: () => Promise<void>): Promise<void> {
  const { lock } = await import('proper-lockfile');
  let release: () => Promise<void>;
  try {
    makeFolder({ mkdirSync, statSync, dirname }, dirname(path), 0o700);
    release = await lock(path, {
      realpath: false,
      // Turns take milliseconds: what is older was left behind by a process that was killed.
      stale: 5000,
      // Taken over by another process while this one was held up: the file finds out before it is written.
      onCompromised: () => undefined,
      // At short intervals, since another process that is busy lets go of the lock for moments only.
      retries: { retries: 4000, factor: 1, minTimeout: 5, maxTimeout: 10, randomize: true },
    });
  } catch (error) {
    throw error instanceof Failure ? error : unlockable(path, error);
  }
  try {
    await work();
  } finally {
    // A lock that is gone was taken over as stale; there is nothing left to give back.
    await release().catch(() => undefined);
  }
}

const unlockable = (path: string, error: unknown): Failure =>
  codeOf(error) === 'ELOCKED'
    ? localFile(`another berth is at work on the local service's state ${path}`, 'Try again.', error)
    : localFile(
        `cannot lock the local service's state ${path}: ${reasonOf(error)}`,
        'Check the permissions of its directory and the room on the disk. BERTH_DATA_DIR names another.',
        error,
      );

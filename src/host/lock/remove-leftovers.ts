import { HOUR_MS } from '../../core/durations.ts';
import { rmSync, statSync } from 'node:fs';
import { stateOf, type Identity } from './process-identity.ts';
import { listLeftovers } from './lock-directory.ts';

/** How long leftovers of a process of unknown state are kept, by the times of the file system. */
const UNKNOWN_MAX_AGE_MS = HOUR_MS;

/**
 * Removes the directories that killed processes left beside a lock: prepared locks and removed ones. After a jump of the
 * clock a live process may lose its prepared lock; it notices that and prepares another one.
 */
export function removeLeftovers(path: string, self: Identity, ownToken: string): void {
  try {
    const now = modifiedAt(`${path}.${ownToken}.new`);
    for (const { folder, owner } of listLeftovers(path)) {
      const state = folder.endsWith('.gone') ? 'dead' : owner?.identity && stateOf(owner.identity, self);
      const unknown = state === undefined || state === 'unknown';
      const abandoned = unknown ? now - modifiedAt(folder) > UNKNOWN_MAX_AGE_MS : state === 'dead';
      if (abandoned) rmSync(folder, { recursive: true, force: true });
    }
  } catch {
    // Leftovers do no harm; the next process tries again.
  }
}

const modifiedAt = (path: string): number => statSync(path).mtimeMs;

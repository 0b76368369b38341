import { rmSync, statSync } from 'node:fs';
import { lifeOf, type Identity } from './process-identity.ts';
import { leftovers } from './lock-directory.ts';

/** Leftovers whose process cannot be judged from here stay for so long, by the file system's own times. */
const UNDECIDED_MS = 3_600_000;

/**
 * Removes what killed processes left beside a lock: prepared locks, and those taken out of their place. What is removed
 * by mistake, after a clock has jumped, harms nobody: its process finds that out and prepares another.
 */
export function sweep(path: string, self: Identity, ownToken: string): void {
  try {
    const now = timeOf(`${path}.${ownToken}.new`);
    for (const { folder, owner } of leftovers(path)) {
      const life = folder.endsWith('.gone') ? 'dead' : owner?.identity && lifeOf(owner.identity, self);
      const old = life === undefined || life === 'unknown' ? now - timeOf(folder) > UNDECIDED_MS : life === 'dead';
      if (old) rmSync(folder, { recursive: true, force: true });
    }
  } catch {
    // They are in nobody's way; the next process tries again.
  }
}

const timeOf = (path: string): number => statSync(path).mtimeMs;

import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { ObjectError } from '../answers/object-error.ts';

/** How much of a volume is used. Bytes. */
export interface Space {
  /** Takes space. Throws the refusal where the volume is full. */
  take(bytes: number): void;
  /** Gives space back: of a file that was replaced or removed. */
  free(bytes: number): void;
  /** Throws the refusal where so much does not fit. */
  check(bytes: number): void;
}

/** Measures what the files of a folder take, those of unfinished uploads too. `capacity` says its size at any time. */
export async function measureSpace(folder: string, capacity: () => number): Promise<Space> {
  let used = await sizeOf(folder);
  const check = (bytes: number): void => {
    if (used + bytes > capacity())
      throw new ObjectError(507, 'InsufficientStorage', 'There is no space left on the volume.');
  };
  return {
    check,
    take: (bytes) => {
      check(bytes);
      used += bytes;
    },
    free: (bytes) => {
      used = Math.max(0, used - bytes);
    },
  };
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await fs.readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await sizeOf(path);
    // Another process may be writing it, and rename or remove it.
    else if (entry.isFile())
      bytes += await fs.stat(path).then(
        ({ size }) => size,
        () => 0,
      );
  }
  return bytes;
}

import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { compareKeys, isWithoutLinks, UPLOADS_FOLDER } from './volume-paths.ts';

/** A key of a volume: a file, or a folder that is empty or that a delimiter ends at (its key ends with `/`). */
export interface ListedKey {
  readonly key: string;
  readonly kind: 'file' | 'empty-folder' | 'prefix';
}

interface Entry {
  /** With a slash at the end for a folder: so the order of names is that of keys. */
  readonly name: string;
  readonly isFolder: boolean;
}

/** How many folders' entries are held at once: a listing comes in pages, and each would read its folders anew. */
const MAX_FOLDERS = 64;

/** Reads the entries of folders in order, and holds them while the folder does not change. */
export function createFolderReader(): (path: string) => Promise<readonly Entry[]> {
  const known = new Map<string, { readonly changedAt: bigint; readonly entries: readonly Entry[] }>();
  return async (path) => {
    const stats = await fs.stat(path, { bigint: true }).catch(() => undefined);
    if (stats?.isDirectory() !== true) return [];
    const found = known.get(path);
    if (found?.changedAt === stats.mtimeNs) return found.entries;
    const entries = (await fs.readdir(path, { withFileTypes: true }))
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .map((entry): Entry => ({
        name: entry.isDirectory() ? `${entry.name}/` : entry.name,
        isFolder: entry.isDirectory(),
      }))
      .sort((one, other) => compareKeys(one.name, other.name));
    if (known.size >= MAX_FOLDERS) known.delete(known.keys().next().value ?? '');
    known.set(path, { changedAt: stats.mtimeNs, entries });
    return entries;
  };
}

export interface ListingOptions {
  readonly prefix: string;
  /** `/` to end at folders; empty for all keys below. */
  readonly delimiter: string;
  /** Only keys behind this one. */
  readonly after: string;
}

/** Yields the keys of a volume in the order of their bytes. Links and special files are not shown. */
export async function* listKeys(
  root: string,
  entriesOf: (path: string) => Promise<readonly Entry[]>,
  { prefix, delimiter, after }: ListingOptions,
): AsyncGenerator<ListedKey> {
  async function* below(folder: string): AsyncGenerator<ListedKey> {
    for (const { name, isFolder } of await entriesOf(join(root, folder))) {
      const key = `${folder}${name}`;
      if (key === `${UPLOADS_FOLDER}/` || !overlaps(key, prefix)) continue;
      if (!isFolder) {
        if (key.startsWith(prefix) && compareKeys(key, after) > 0) yield { key, kind: 'file' };
        continue;
      }
      // All keys of this folder begin with its own: they come before `after` unless that is one of them.
      if (compareKeys(key, after) <= 0 && !after.startsWith(key)) continue;
      if (delimiter === '/' && key.startsWith(prefix) && key.length > prefix.length) {
        if (compareKeys(key, after) > 0) yield { key, kind: 'prefix' };
        continue;
      }
      if (key.startsWith(prefix) && compareKeys(key, after) > 0 && (await entriesOf(join(root, key))).length === 0)
        yield { key, kind: 'empty-folder' };
      yield* below(key);
    }
  }
  // Not from the root: a prefix names the folder to begin in.
  const first = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  if (first === '' || (isUsable(first) && isWithoutLinks(root, join(root, first)))) yield* below(first);
}

/** Whether a folder or a file can hold keys with a prefix. */
const overlaps = (key: string, prefix: string): boolean => key.startsWith(prefix) || prefix.startsWith(key);

/** No key has such a prefix, and a path with it would leave the volume. */
const isUsable = (folder: string): boolean =>
  folder
    .slice(0, -1)
    .split('/')
    .every((part) => !['', '.', '..'].includes(part) && !part.includes('\0'));

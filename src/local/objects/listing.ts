import { type BigIntStats, lstatSync, promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import { invalidArgument } from './answers.ts';

/** The hidden folder of a volume with the parts of unfinished uploads (storage contract). */
export const UPLOADS_FOLDER = '.s3compat_uploads';

/** Throws the refusal of `.`, `..`, NUL, an empty or too long part, or the folder of uploads. */
export function pathOfKey(folder: string, key: string): string {
  const parts = (key.endsWith('/') ? key.slice(0, -1) : key).split('/');
  const isUsable = parts.every(
    (part) => part !== '' && part !== '.' && part !== '..' && !part.includes('\0') && Buffer.byteLength(part) <= 255,
  );
  if (!isUsable || Buffer.byteLength(key) > 1024 || parts[0] === UPLOADS_FOLDER)
    throw invalidArgument('The key is not the path of a file.');
  return join(folder, ...parts);
}

/** Whether no folder on the way from the volume's folder to a path is a link, which could lead out of the volume. */
export function isWithoutLinks(folder: string, path: string): boolean {
  for (let at = path; at.length > folder.length; at = dirname(at))
    if (statsAt(at)?.isSymbolicLink() === true) return false;
  return true;
}

/** Links are not followed. Synchronous: faster than starting another thread. */
export function statsAt(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Compares as the bytes of UTF-8 compare: the order of a listing. */
const compareKeys = (one: string, other: string): number =>
  one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));

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

/** Held at once: a listing comes in pages, and each would read its folders again. */
const MAX_FOLDERS = 64;

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
  readonly after: string;
}

/** In the order of their bytes. Links and special files are skipped. */
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

const overlaps = (key: string, prefix: string): boolean => key.startsWith(prefix) || prefix.startsWith(key);

/** No key has such a prefix, and a path with it would leave the volume. */
const isUsable = (folder: string): boolean =>
  folder
    .slice(0, -1)
    .split('/')
    .every((part) => !['', '.', '..'].includes(part) && !part.includes('\0'));

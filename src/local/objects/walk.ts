import { type BigIntStats, lstatSync, promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import { invalidArgument } from './answers.ts';

/** The hidden folder of a volume with the parts of unfinished uploads (storage contract). */
export const UPLOADS_FOLDER = '.s3compat_uploads';

/** Whether a key, with or without a slash at its end, can be a path below the folder of a volume. */
const isPath = (key: string): boolean =>
  key
    .replace(/\/$/, '')
    .split('/')
    .every((part) => !['', '.', '..'].includes(part) && !part.includes('\0') && Buffer.byteLength(part) <= 255);

/** Throws the refusal of a key that names no file. */
export function pathOfKey(folder: string, key: string): string {
  if (!isPath(key) || Buffer.byteLength(key) > 1024 || key.split('/')[0] === UPLOADS_FOLDER)
    throw invalidArgument('The key is not the path of a file.');
  return join(folder, key.replace(/\/$/, ''));
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

/** Names in the order of keys; those of folders end with a slash. Links and special files are skipped. */
type Names = readonly string[];

/** Held at once: a listing comes in pages, and each would read its folders again. */
const MAX_FOLDERS = 64;

export function createFolderReader(): (path: string) => Promise<Names> {
  const known = new Map<string, { readonly changedAt: bigint; readonly names: Names }>();
  return async (path) => {
    const stats = await fs.stat(path, { bigint: true }).catch(() => undefined);
    if (stats?.isDirectory() !== true) return [];
    const found = known.get(path);
    if (found?.changedAt === stats.mtimeNs) return found.names;
    const names = (await fs.readdir(path, { withFileTypes: true }))
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .sort(compareKeys);
    if (known.size >= MAX_FOLDERS) known.clear();
    known.set(path, { changedAt: stats.mtimeNs, names });
    return names;
  };
}

export interface ListingOptions {
  readonly prefix: string;
  /** `/` to end at folders; empty for all keys below. */
  readonly delimiter: string;
  readonly after: string;
}

/** The keys of files and empty folders, and the folders that the delimiter ends at. */
export async function* listKeys(
  root: string,
  namesIn: (path: string) => Promise<Names>,
  { prefix, delimiter, after }: ListingOptions,
): AsyncGenerator<{ readonly key: string; readonly isPrefix: boolean }> {
  async function* below(folder: string): ReturnType<typeof listKeys> {
    for (const name of await namesIn(join(root, folder))) {
      const key = `${folder}${name}`;
      const isListed = key.startsWith(prefix) && compareKeys(key, after) > 0;
      if (key === `${UPLOADS_FOLDER}/` || !(key.startsWith(prefix) || prefix.startsWith(key))) continue;
      const isPrefix = name.endsWith('/') && delimiter === '/' && key.startsWith(prefix) && key !== prefix;
      if (isPrefix || !name.endsWith('/')) {
        if (isListed) yield { key, isPrefix };
      } else if (compareKeys(key, after) > 0 || after.startsWith(key)) {
        // Otherwise all keys of the folder come before `after`: they begin with its own.
        if (isListed && (await namesIn(join(root, key))).length === 0) yield { key, isPrefix: false };
        yield* below(key);
      }
    }
  }
  // Not from the root: a prefix names the folder to begin in.
  const first = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  if (first === '' || (isPath(first) && isWithoutLinks(root, join(root, first)))) yield* below(first);
}

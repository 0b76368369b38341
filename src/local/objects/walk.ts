import { promises as fs } from 'node:fs';
import { join } from 'node:path';
import { isPath, isWithoutLinks, UPLOADS_FOLDER } from './paths.ts';

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
    if (known.size >= MAX_FOLDERS) known.delete(known.keys().next().value ?? '');
    known.set(path, { changedAt: stats.mtimeNs, names });
    return names;
  };
}

/** Of a file, an empty folder, or a folder that the delimiter ends at. */
interface ListedKey {
  readonly key: string;
  readonly isPrefix: boolean;
}

interface ListingOptions {
  readonly prefix: string;
  /** `/` to end at folders; empty for all keys below. */
  readonly delimiter: string;
  readonly after: string;
}

export async function* listKeys(
  root: string,
  namesIn: (path: string) => Promise<Names>,
  { prefix, delimiter, after }: ListingOptions,
): AsyncGenerator<ListedKey> {
  async function* below(folder: string): AsyncGenerator<ListedKey> {
    for (const name of await namesIn(join(root, folder))) {
      const key = `${folder}${name}`;
      const isFolder = name.endsWith('/');
      const isListed = key.startsWith(prefix) && compareKeys(key, after) > 0;
      if (key === `${UPLOADS_FOLDER}/` || !(key.startsWith(prefix) || prefix.startsWith(key))) continue;
      if (!isFolder) {
        if (isListed) yield { key, isPrefix: false };
      } else if (delimiter === '/' && key.startsWith(prefix) && key.length > prefix.length) {
        if (isListed) yield { key, isPrefix: true };
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

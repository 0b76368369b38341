import { lstatSync, promises as fs, statSync, type Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ResolvedPath } from '../../core/context.ts';
import { errorCode } from '../../core/files/file-errors.ts';

/**
 * Follows the links of a path and returns what it leads to; `absolute` is the same path in absolute form. Opens nothing,
 * because to open a pipe has an effect. Fails as the system does, for example for links that form a loop or a directory
 * without permission.
 */
export async function resolvePath(path: string, absolute: string): Promise<ResolvedPath> {
  // Synchronous: the system answers faster than another thread would be started.
  const entry = await ifExists(async () => lstatSync(absolute));
  const target = entry?.isSymbolicLink() === true ? await ifExists(async () => statSync(absolute)) : entry;
  const linked = entry?.isSymbolicLink() === true;
  if (target !== undefined) {
    const kind = kindOf(target);
    return { path: linked && kind === 'file' ? await fs.realpath(absolute) : path, kind };
  }
  if (linked) {
    const missing = resolve(await fs.realpath(dirname(absolute)), await fs.readlink(absolute));
    return resolvePath(missing, missing);
  }
  const folder = await ifExists(async () => statSync(dirname(absolute)));
  return { path, kind: folder?.isDirectory() === true ? 'nothing' : 'no-folder' };
}

function kindOf(stats: Stats): ResolvedPath['kind'] {
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'directory' : 'other';
}

/** Returns the result of `read`; undefined when the file or a folder of its path does not exist. */
export async function ifExists<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

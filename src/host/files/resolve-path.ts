import { promises as fs, type Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ResolvedPath } from '../../core/context.ts';
import { errorCode } from '../../core/file-errors.ts';

/**
 * Where a name leads that lies at an absolute place. Opens nothing: that alone would change a pipe. Fails as the system
 * does, where links go in a circle or a directory may not be looked into.
 */
export async function placeOf(path: string, place: string): Promise<ResolvedPath> {
  const [found, itself] = [await unlessGone(() => fs.stat(place)), await unlessGone(() => fs.lstat(place))];
  const linked = itself?.isSymbolicLink() === true;
  if (found !== undefined) {
    const kind = kindOf(found);
    return { path: linked && kind === 'file' ? await fs.realpath(place) : path, kind };
  }
  if (linked) {
    const target = resolve(await fs.realpath(dirname(place)), await fs.readlink(place));
    return placeOf(target, target);
  }
  const folder = await unlessGone(() => fs.stat(dirname(place)));
  return { path, kind: folder?.isDirectory() === true ? 'nothing' : 'no-folder' };
}

function kindOf(found: Stats): ResolvedPath['kind'] {
  if (found.isFile()) return 'file';
  return found.isDirectory() ? 'directory' : 'other';
}

async function unlessGone<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { localFile } from '../../core/failure.ts';
import { whyForeign } from '../../core/files/foreign-files.ts';
import { makeDirectory } from '../../core/files/make-directory.ts';
import { openRegular } from '../../core/files/regular-file.ts';

/**
 * Reads a small JSON object; an empty one where the file is missing or is anything else, and where another user than `user`
 * may have written it (see `whyForeign`).
 */
export function readObject(path: string, user: number | undefined): Readonly<Record<string, unknown>> {
  try {
    const descriptor = openRegular({ openSync, fstatSync, closeSync, lstatSync, constants }, path, {
      flags: constants.O_RDONLY,
      links: 'refused',
    });
    try {
      if (whyForeign(fstatSync(descriptor), user) !== undefined) return {};
      const document: unknown = JSON.parse(readFileSync(descriptor, 'utf8'));
      return isRecord(document) ? { ...document } : {};
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return {};
  }
}

/** Makes the directory of a file. Fails with local-file (14) where another user may change it. */
export function makeFolder(path: string, user: number | undefined): void {
  const folder = dirname(path);
  makeDirectory({ mkdirSync, statSync, dirname }, folder, 0o700);
  const why = whyForeign(statSync(folder), user);
  if (why !== undefined) throw localFile(`cannot use the directory ${folder}: it ${why}`);
}

/**
 * Replaces a file by a small JSON object, atomically and with mode 0600; with `flush` it is on the disk then. Creates its directory. Fails as the system does, and
 * with local-file (14) in a directory that another user may change, and when something else than a file is there already.
 */
export function writeObject(
  path: string,
  document: Readonly<Record<string, unknown>>,
  {
    random,
    user,
    flush = false,
  }: { readonly random: () => number; readonly user: number | undefined; readonly flush?: boolean },
): void {
  makeFolder(path, user);
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) throw localFile(`${path} is not a regular file`);
  const temporary = `${path}.${random().toString(36).slice(2)}.tmp`;
  try {
    writeFileSync(temporary, `${JSON.stringify(document)}\n`, { mode: 0o600, flag: 'wx', flush });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

import { lstatSync, type BigIntStats } from 'node:fs';
import { dirname, join } from 'node:path';
import { invalidArgument } from '../answers/object-error.ts';

/** The hidden folder of a volume with the parts of unfinished uploads (storage contract). */
export const UPLOADS_FOLDER = '.s3compat_uploads';

/**
 * The path of a key below the folder of its volume. Throws the refusal of a key that names no file there: an empty part, `.`
 * or `..`, NUL, a name that is too long, or the folder of unfinished uploads.
 */
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

/**
 * What is at a path, where a link is not followed; undefined where that cannot be known. Synchronous, as the other functions of one
 * file: the system answers faster than another thread would be started.
 */
export function statsAt(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Compares as the bytes of UTF-8 compare: the order of a listing. */
export const compareKeys = (one: string, other: string): number =>
  one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));

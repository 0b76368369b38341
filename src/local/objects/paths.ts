import { type BigIntStats, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { invalidArgument } from './answers.ts';

/** The hidden folder of a volume with the parts of unfinished uploads (storage contract). */
export const UPLOADS_FOLDER = '.s3compat_uploads';

/** Whether a key, with or without a slash at its end, can be a path below the folder of a volume. */
export const isPath = (key: string): boolean =>
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

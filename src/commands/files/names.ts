import { dirname } from 'node:path';
import type { RangeFiles } from '../../core/context.ts';

/** `platform`: of the machine that gets the file. A name that is not UTF-8 has U+FFFD here. */
export function refusedName(path: string, platform: string): string | undefined {
  const parts = path.split('/');
  if (parts.length > MAX_DEPTH + 1) return `more than ${String(MAX_DEPTH)} nested folders`;
  for (const part of parts) {
    if (part === '' || part === '.' || part === '..') return 'its path leaves the folder';
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    if (/[\u0000-\u001f\u007f]/.test(part)) return 'its name has control characters';
    if (/[\ufffd\p{Cs}]/u.test(part)) return 'its name is not valid Unicode';
    if (Buffer.byteLength(part) > 255) return 'its name is too long';
    if (platform === 'win32' && (/[<>:"\\|?*]|[. ]$/.test(part) || RESERVED.test(part)))
      return 'Windows does not allow this name';
  }
  return undefined;
}

/** More than people make, and less than ends the stack. */
const MAX_DEPTH = 200;

/** Device names on Windows, with any extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

/** Equal for two names that one folder of such a file system cannot hold. */
export const foldedName = (path: string): string => path.normalize('NFC').toLowerCase();

/** Whether the file system of a path, which need not exist, takes names that differ in case for one. */
export async function foldsNames(files: Pick<RangeFiles, 'lookAt' | 'absolute'>, path: string): Promise<boolean> {
  for (let at = files.absolute(path); at !== dirname(at); at = dirname(at)) {
    const there = await files.lookAt(at, true).catch(() => undefined);
    const name = at.slice(dirname(at).length);
    const turned = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
    if (there === undefined || turned === name) continue;
    const other = await files.lookAt(`${dirname(at)}${turned}`, true).catch(() => undefined);
    return other?.identity === there.identity;
  }
  return false;
}

export const endsWithSlash = (path: string): boolean => /[/\\]$/.test(path);

/** A path in a folder of this machine. */
export const joined = (folder: string, below: string): string =>
  below === '' ? folder : `${folder.replace(/[/\\]+$/, '') || '/'}/${below}`.replace(/^\/\//, '/');

/**
 * Why a path with these parts cannot be the path of a file; undefined where it can. `platform` is that of the machine which gets
 * the file (`linux` for a volume and for a pod). A name that the file system gave in another encoding than UTF-8 has U+FFFD.
 */
export function refusedName(path: string, platform: string): string | undefined {
  for (const part of path.split('/')) {
    if (part === '' || part === '.' || part === '..') return 'its path leaves the folder';
    // eslint-disable-next-line no-control-regex -- they are what is looked for
    if (/[\u0000-\u001f\u007f]/.test(part)) return 'its name has control characters';
    if (/[\ufffd\p{Cs}]/u.test(part)) return 'its name is not valid Unicode';
    if (Buffer.byteLength(part) > 255) return 'its name is too long';
    if (platform === 'win32' && (/[<>:"\\|?*]|[. ]$/.test(part) || RESERVED.test(part)))
      return 'Windows has no such names';
  }
  return undefined;
}

/** Names that stand for devices on Windows, with any extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

/** The form in which two names that one folder cannot hold on some systems are alike. */
export const foldedName = (path: string): string => path.normalize('NFC').toLowerCase();

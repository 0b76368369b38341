/** Whether a name on a volume can be the name of a file of this machine, and the reason where it cannot. */
export function refusedName(path: string, platform: string): string | undefined {
  for (const part of path.split('/')) {
    if (part === '' || part === '.' || part === '..') return 'its path leaves the folder';
    // eslint-disable-next-line no-control-regex -- they are what is looked for
    if (/[\u0000-\u001f\u007f]/.test(part)) return 'its name has control characters';
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

/** What tells who may change a file or directory. `fs.Stats` has it. */
export interface Ownership {
  readonly uid: number;
  readonly mode: number;
  isDirectory(): boolean;
}

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
const ROOT = 0;

/**
 * Says why a file or directory may hold what another user wrote; undefined when only this user and root can change it. `user`
 * is the number of this user, undefined on systems without user numbers, where nothing is known. A directory such as /tmp may
 * be writable by all: its sticky bit keeps other users from replacing what is in it.
 */
export function whyForeign(stats: Ownership, user: number | undefined): string | undefined {
  if (user === undefined) return undefined;
  const { uid, mode } = stats;
  if (uid !== user && uid !== ROOT) return `belongs to another user (number ${String(uid)})`;
  const isShared = (mode & WRITABLE_BY_OTHERS) !== 0 && !(stats.isDirectory() && (mode & STICKY) !== 0);
  return isShared ? `may be changed by other users (mode ${(mode & 0o7777).toString(8).padStart(4, '0')})` : undefined;
}

/** What to do about a file of which `whyForeign` says something: a sentence. */
export const MAKE_IT_YOURS = 'Make it yours (chown) and writable for you alone (chmod go-w), or use another one.';

import { promises as fs } from 'node:fs';
import { posix } from 'node:path';

/** Links that one path may lead through, as on Linux. */
const MAX_LINKS = 40;

/**
 * A path of a container without links, by the links as its programs see them: an absolute one begins at the root of the container.
 * The last link is followed too with `follow`. `realOf` says where a path is on this machine. What does not exist is kept as it is
 * written. Rejects with ELOOP.
 */
export async function resolveLinks(path: string, follow: boolean, realOf: (path: string) => string): Promise<string> {
  let at = '/';
  let rest = path.split('/');
  let links = 0;
  while (rest.length > 0) {
    const [name = '', ...others] = rest;
    rest = others;
    if (name === '' || name === '.') continue;
    if (name === '..') {
      at = posix.dirname(at);
      continue;
    }
    const next = posix.join(at, name);
    const isLast = others.every((other) => other === '');
    const target = isLast && !follow ? undefined : await fs.readlink(realOf(next)).catch(() => undefined);
    if (target === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
    if (target.startsWith('/')) at = '/';
    rest = [...target.split('/'), ...others];
  }
  return at;
}

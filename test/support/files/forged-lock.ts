import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Identity, newToken, ownIdentity } from '../../../src/host/lock/lock-directory.ts';

/** A process id that no process has: the largest one of Linux. */
const NO_PROCESS = 4_194_304;

/** Lock holders as they are written in a lock. Start times and boot ids are known on Linux only. */
export const HOLDERS = {
  self: (): Identity => ownIdentity(),
  dead: (): Identity => ({ ...ownIdentity(), pid: NO_PROCESS }),
  reused: (pid = process.pid): Identity => ({ ...ownIdentity(), pid, started: '1' }),
  otherNamespace: (): Identity => ({ ...ownIdentity(), pid: 1, namespace: 'pid:[1] time:[1]' }),
  otherHost: (): Identity => ({ ...ownIdentity(), pid: 1, boot: 'another', host: 'elsewhere' }),
} as const;

/** Writes a lock as that holder would have written it. Returns the path of its owner file. */
export function writeForgedLock(path: string, holder: Identity): string {
  const folder = join(path, newToken());
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'owner'), `${JSON.stringify(holder)}\n000000000000\n`);
  return join(folder, 'owner');
}

/** The identity that another process of this machine would write. Linux only. */
export function identityOf(pid: number): Identity {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  return { ...ownIdentity(), pid, started: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '' };
}

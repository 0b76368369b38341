import { promises as fs } from 'node:fs';
import { hostname } from 'node:os';
import type { LockHolder } from '../core/context.ts';
import { localFile } from '../core/failure.ts';

/** What a lock file says: who holds it, and, where the system tells, since when that process has been there. */
interface Entry extends LockHolder {
  readonly since: string | undefined;
}

/** How often the lock of a process that is gone is fought for. */
const TRIES = 5;

/**
 * Takes a lock: a file that appears whole or not at all. Of two processes that find the lock of one that is gone, one
 * gets it. Gives what lets go of it. Fails with local-file (14) and the holder's pid.
 */
export async function takeLock(path: string): Promise<() => Promise<void>> {
  const mine = `${path}.${String(process.pid)}`;
  const self: Entry = { pid: process.pid, host: hostname(), since: await startOf(process.pid) };
  await fs.writeFile(mine, `${JSON.stringify(self)}\n`, { mode: 0o600 });
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      if (await linked(mine, path)) return () => fs.rm(path, { force: true });
      const found = await entryOf(path);
      if (found === undefined) continue;
      if (await isHeld(found)) throw heldBy(path, found);
      await setAside(path, found);
    }
    throw localFile(`cannot lock ${path}: others take it again and again`, 'Try again.');
  } finally {
    await fs.rm(mine, { force: true });
  }
}

/** Who holds a lock now. */
export async function holderOf(path: string): Promise<LockHolder | undefined> {
  const found = await entryOf(path);
  return found !== undefined && (await isHeld(found)) ? { pid: found.pid, host: found.host } : undefined;
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await fs.link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes what a process that is gone left; where somebody took the lock in between, puts theirs back. */
async function setAside(path: string, gone: Entry): Promise<void> {
  const aside = `${path}.${String(process.pid)}.gone`;
  try {
    await fs.rename(path, aside);
    const moved = await entryOf(aside);
    if (moved !== undefined && (moved.pid !== gone.pid || moved.since !== gone.since)) await linked(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  } finally {
    await fs.rm(aside, { force: true });
  }
}

async function entryOf(path: string): Promise<Entry | undefined> {
  let text: string;
  try {
    text = await fs.readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const entry = parsed(text);
  if (entry !== undefined) return entry;
  throw localFile(
    `${path} is not a lock of this program`,
    'Where no berth is at work on this batch, remove that file.',
  );
}

function parsed(text: string): Entry | undefined {
  try {
    const value = JSON.parse(text) as Partial<Record<keyof Entry, unknown>>;
    const { pid, host, since } = value;
    return typeof pid === 'number' && typeof host === 'string'
      ? { pid, host, since: typeof since === 'string' ? since : undefined }
      : undefined;
  } catch {
    return undefined;
  }
}

/** On another machine nobody can tell from here, so it counts as held. */
async function isHeld({ pid, host, since }: Entry): Promise<boolean> {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  const now = await startOf(pid);
  // Another process may have got the number since.
  return since === undefined || now === undefined || since === now;
}

/** When a process was started, in the system's own count, where it tells. */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    const stat = await fs.readFile(`/proc/${String(pid)}/stat`, 'utf8');
    const [boot, fields] = [await fs.readFile('/proc/sys/kernel/random/boot_id', 'utf8'), stat.replace(/^.*\) /s, '')];
    return `${boot.trim()} ${fields.split(' ')[19] ?? ''}`;
  } catch {
    return undefined;
  }
}

const heldBy = (path: string, { pid, host }: Entry): Error =>
  localFile(
    `another berth is at work on this batch: process ${String(pid)}${host === hostname() ? '' : ` on ${host}`}`,
    host === hostname()
      ? 'Let it end, or stop it with Ctrl-C; then go on.'
      : `Where that process is gone, remove ${path}; then go on.`,
  );

import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Failure, localFile } from '../../core/failure.ts';
import { errorCode } from '../../core/files.ts';
import { isObject } from '../../core/json.ts';

/** Unique among all processes that may share a file system. Optional members: Linux only. */
export interface Identity {
  readonly pid: number;
  readonly host: string;
  /** The kernel's random boot id: identifies machine and boot. */
  readonly boot?: string;
  /** PID namespace, and the time namespace that start times are relative to. */
  readonly namespace?: string;
  /** In clock ticks since the boot. */
  readonly started?: string;
}

/** `unknown`: this process cannot tell. */
type ProcessState = 'alive' | 'dead' | 'unknown';

export function ownIdentity(): Identity {
  const basic = { pid: process.pid, host: hostname() };
  try {
    // In a PID namespace without its own /proc, /proc shows the process ids of another namespace.
    if (readlinkSync('/proc/self') !== String(process.pid)) return basic;
    const started = statOf(process.pid)?.started;
    if (started === undefined) return basic;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { ...basic, boot, namespace: `${readlinkSync('/proc/self/ns/pid')} ${timeNamespace()}`, started };
  } catch {
    return basic;
  }
}

/** Only within one boot and PID namespace: equal host names prove nothing (copied images). */
export function stateOf(other: Identity, self: Identity): ProcessState {
  if (self.boot === undefined || other.boot !== self.boot || other.namespace !== self.namespace) return 'unknown';
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return 'dead';
    // EPERM: a process of another user has that pid. Its start time tells whether it is the same process.
  }
  const stat = statOf(other.pid);
  if (stat === undefined) return 'unknown';
  if (stat.started !== other.started) return 'dead';
  // A zombie has ended; its parent has not read its exit code yet.
  return /[ZXx]/.test(stat.state) ? 'dead' : 'alive';
}

/** Undefined when the system does not show them. */
function statOf(pid: number) {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The second field is the program's name in parentheses, which may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', started: fields[19] };
  } catch {
    return undefined;
  }
}

/** Empty on kernels without time namespaces. */
function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch {
    return '';
  }
}

interface Owner {
  /** Undefined when damaged, for example after a power failure. */
  readonly identity: Identity | undefined;
  /** Changed with every heartbeat: a changed text shows that the holder is alive. */
  readonly text: string;
}

/** The counter is overwritten in place. */
const formatBeat = (beat: number): string => String(beat).padStart(12, '0');

/** ENOENT when the lock was taken over: the file is never recreated. */
export function writeHeartbeat(file: string, identity: Identity, beat: number): void {
  // On a network file system, other machines see the change only after a close.
  const descriptor = openSync(file, 'r+');
  try {
    writeSync(descriptor, formatBeat(beat), Buffer.byteLength(JSON.stringify(identity)) + 1);
  } finally {
    closeSync(descriptor);
  }
}

const readOwner = (file: string): Owner | undefined =>
  unlessMissing(() => {
    const text = readFileSync(file, 'utf8');
    return { identity: parseIdentity(text.split('\n', 1)[0] ?? ''), text };
  });

/** Opened instead of looked up, so that a network file system asks its server. */
export const isOwned = (file: string): boolean =>
  unlessMissing(() => {
    closeSync(openSync(file, 'r'));
    return true;
  }) ?? false;

function unlessMissing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ESTALE'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

function parseIdentity(line: string): Identity | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isObject(value)) return undefined;
    const { pid, host, boot, namespace, started } = value;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0 || typeof host !== 'string') return undefined;
    if (typeof boot !== 'string' || typeof namespace !== 'string' || typeof started !== 'string') return { pid, host };
    return { pid, host, boot, namespace, started };
  } catch {
    return undefined;
  }
}

/**
 * A held lock is a directory `LOCK/TOKEN` that contains the file `owner`. A process creates `LOCK.TOKEN.new/TOKEN/owner`
 * and renames the first directory to LOCK. The rename succeeds when LOCK does not exist or is empty, and fails when a
 * token is in it: one process gets the lock, and it appears complete. Tokens are never reused, so removing `LOCK/TOKEN`
 * removes that holder and no other. No links are needed.
 */
export interface LockHolder extends Owner {
  readonly token: string;
}

const TOKEN = '[0-9a-f]{24}';
const OWNER = 'owner';

/** Unique, not secret: loading crypto takes longer than a command that holds the lock. */
export const newToken = (): string => `${randomDigits()}${randomDigits()}`;
const randomDigits = (): string => Math.random().toString(16).slice(2, 14).padEnd(12, '0');

export const folderOf = (path: string, token: string): string => join(path, token);
export const ownerFile = (path: string, token: string): string => join(path, token, OWNER);

const preparedPath = (path: string, token: string): string => `${path}.${token}.new`;

export function prepareLock(path: string, token: string, identity: Identity): void {
  const folder = preparedPath(path, token);
  mkdirSync(folder, { mode: 0o700 });
  mkdirSync(join(folder, token), { mode: 0o700 });
  const text = `${JSON.stringify(identity)}\n${formatBeat(0)}\n`;
  writeFileSync(ownerFile(folder, token), text, { mode: 0o600, flag: 'wx' });
}

export function discardPrepared(path: string, token: string): void {
  rmSync(preparedPath(path, token), { recursive: true, force: true });
}

/** `refused`: another lock may be there. `lost`: the prepared lock was removed. */
export function acquire(rename: typeof renameSync, path: string, token: string): 'taken' | 'refused' | 'lost' {
  try {
    rename(preparedPath(path, token), path);
  } catch (error) {
    // A network file system repeats a rename whose answer was lost, and then reports nothing to rename.
    if (isOwned(ownerFile(path, token))) return 'taken';
    const code = errorCode(error);
    if (code === 'ENOENT') return 'lost';
    if (code === 'EEXIST' || code === 'ENOTEMPTY') return 'refused';
    if (code === 'ENOTDIR') throw notALock(path);
    // Some systems report another error when a directory, empty or not, is at the path.
    if (listNames(path) !== undefined) return 'refused';
    throw error;
  }
  // Another process that removes leftovers may just have removed the owner file.
  if (isOwned(ownerFile(path, token))) return 'taken';
  removeHolder(path, token);
  return 'lost';
}

/** Undefined when it is free. Local-file (14) when the path is not a lock. */
export function readHolder(path: string): LockHolder | undefined {
  const names = listNames(path);
  if (names === undefined) return undefined;
  const token = names.find((name) => new RegExp(`^${TOKEN}$`).test(name));
  if (token === undefined) {
    if (names.length > 0) throw notALock(path);
    // Some systems cannot rename a directory to the path of an empty one.
    removeEmpty(path);
    return undefined;
  }
  const owner = readOwner(ownerFile(path, token));
  if (owner !== undefined) return { token, ...owner };
  // Either released just now, or damaged: the heartbeat monitor finds out.
  return listNames(path)?.includes(token) === true ? { token, identity: undefined, text: '' } : undefined;
}

/** Atomic; removes only this holder. Does nothing when it is gone. */
export function removeHolder(path: string, token: string): void {
  const gone = `${path}.${newToken()}.gone`;
  unlessMissing(() => {
    renameSync(folderOf(path, token), gone);
  });
  rmSync(gone, { recursive: true, force: true });
}

export function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Another process took the lock, or removed the directory too.
  }
}

export function listLeftovers(path: string): readonly { readonly folder: string; readonly owner: Owner | undefined }[] {
  const pattern = new RegExp(`^(${TOKEN})\\.(?:new|gone)$`);
  const prefix = `${basename(path)}.`;
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix))
    .flatMap((name) => {
      const token = pattern.exec(name.slice(prefix.length))?.[1];
      if (token === undefined) return [];
      const folder = join(dirname(path), name);
      return [{ folder, owner: name.endsWith('.new') ? readOwner(ownerFile(folder, token)) : undefined }];
    });
}

function listNames(path: string): readonly string[] | undefined {
  try {
    return readdirSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (errorCode(error) === 'ENOTDIR') throw notALock(path);
    throw error;
  }
}

const notALock = (path: string): Failure =>
  localFile(`${path} is not a lock of this version of berth`, 'If no berth uses it, remove it.');

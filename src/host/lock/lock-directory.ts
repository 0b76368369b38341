import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Failure, localFile } from '../../core/failure.ts';
import { errorCode } from '../../core/files/file-errors.ts';
import type { Identity } from './process-identity.ts';
import { createOwner, isMissing, isOwned, readOwner, type Owner } from './owner-file.ts';

/**
 * A held lock is a directory `LOCK/TOKEN` that contains the file `owner`. A process creates `LOCK.TOKEN.new/TOKEN/owner`
 * and renames the first directory to LOCK. The rename succeeds when LOCK does not exist or is empty, and fails when a
 * token is in it: one process gets the lock, and it appears complete. Tokens are never reused, so removing `LOCK/TOKEN`
 * removes that holder and no other. No links are needed.
 */
export interface LockSystem {
  /** `fs.renameSync`; tests replace it to simulate other file systems. */
  rename(from: string, to: string): void;
}

export const realSystem: LockSystem = { rename: renameSync };

/** The holder found in a lock directory. */
export interface LockHolder extends Owner {
  readonly token: string;
}

const TOKEN = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const OWNER = 'owner';

export const newToken = (): string => randomUUID();
export const folderOf = (path: string, token: string): string => join(path, token);
export const ownerFile = (path: string, token: string): string => join(path, token, OWNER);

const preparedPath = (path: string, token: string): string => `${path}.${token}.new`;

/** Creates a lock beside its path, ready to be renamed. */
export function prepareLock(path: string, token: string, identity: Identity): void {
  const folder = preparedPath(path, token);
  mkdirSync(folder, { mode: 0o700 });
  mkdirSync(join(folder, token), { mode: 0o700 });
  createOwner(ownerFile(folder, token), identity);
}

/** Removes a prepared lock. */
export function discardPrepared(path: string, token: string): void {
  rmSync(preparedPath(path, token), { recursive: true, force: true });
}

/**
 * Renames a prepared lock to its path. Returns `taken`, or `refused` when another lock may be there, or `lost` when the
 * prepared lock was removed. Fails as the file system does.
 */
export function acquire(system: LockSystem, path: string, token: string): 'taken' | 'refused' | 'lost' {
  try {
    system.rename(preparedPath(path, token), path);
  } catch (error) {
    // A network file system repeats a rename whose answer was lost, and then reports that there is nothing to rename.
    if (isOwned(ownerFile(path, token))) return 'taken';
    const code = errorCode(error);
    if (code === 'ENOENT') return 'lost';
    if (code === 'EEXIST' || code === 'ENOTEMPTY') return 'refused';
    if (code === 'ENOTDIR') throw notALock(path);
    if (code === 'ENOSYS' || code === 'ENOTSUP' || code === 'EOPNOTSUPP' || code === 'EXDEV')
      throw noRename(path, error);
    // Some systems report another error when there is a directory at the path, empty or not.
    if (listNames(path) !== undefined) return 'refused';
    throw error;
  }
  // Another process that removes leftovers may have removed the owner file just before.
  if (isOwned(ownerFile(path, token))) return 'taken';
  removeHolder(path, token);
  return 'lost';
}

/** Returns the holder of a lock, undefined when it is free. Fails with local-file (14) when the path is no lock. */
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

/** Removes one holder from a lock, atomically, and no other holder. Does nothing when it is not there any more. */
export function removeHolder(path: string, token: string): void {
  const gone = `${path}.${newToken()}.gone`;
  try {
    renameSync(folderOf(path, token), gone);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  try {
    // Usually there is nothing else in it; a recursive removal takes three times as long.
    unlinkSync(join(gone, OWNER));
    rmdirSync(gone);
  } catch {
    rmSync(gone, { recursive: true, force: true });
  }
}

/** Removes the lock directory when nobody holds the lock. */
export function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Another process took the lock, or removed the directory too.
  }
}

/** Lists the directories that killed processes left beside a lock, each with its owner when it has one. */
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

const noRename = (path: string, cause: unknown): Failure =>
  localFile(
    `cannot lock ${path}: its file system cannot rename a directory`,
    'Use a directory on another file system.',
    cause,
  );

import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { localFile } from '../../core/failure.ts';
import { errorCode } from '../../core/file-errors.ts';
import type { Identity } from './identity.ts';
import { createOwner, isGone, isOwned, readOwner, type Owner } from './owner.ts';

/**
 * How a lock lies in the file system: a directory `LOCK/TOKEN` with the file `owner` in it. A process makes
 * `LOCK.TOKEN.new/TOKEN/owner` and renames the first directory to LOCK. That succeeds where LOCK does not exist or is
 * empty, and fails where somebody's token is in it: one process gets the lock, and it appears whole. Tokens are never
 * used twice, so that whoever removes `LOCK/TOKEN` removes that holder and no other. No links are needed.
 */
export interface LockSystem {
  /** `fs.renameSync`; tests put a file system's peculiarities in its place. */
  rename(from: string, to: string): void;
}

export const realSystem: LockSystem = { rename: renameSync };

export interface Found extends Owner {
  readonly token: string;
}

const TOKEN = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const OWNER = 'owner';

export const newToken = (): string => randomUUID();
export const folderOf = (path: string, token: string): string => join(path, token);
export const ownerFile = (path: string, token: string): string => join(path, token, OWNER);

const preparedPath = (path: string, token: string): string => `${path}.${token}.new`;

/** Makes a lock beside its place. */
export function prepare(path: string, token: string, identity: Identity): void {
  const folder = preparedPath(path, token);
  mkdirSync(folder, { mode: 0o700 });
  mkdirSync(join(folder, token), { mode: 0o700 });
  createOwner(ownerFile(folder, token), identity);
}

export function discard(path: string, token: string): void {
  rmSync(preparedPath(path, token), { recursive: true, force: true });
}

/**
 * Puts a prepared lock in its place: `taken`, or `refused` where another may be there, or `lost` where what was
 * prepared is gone. Fails as the file system does.
 */
export function claim(system: LockSystem, path: string, token: string): 'taken' | 'refused' | 'lost' {
  try {
    system.rename(preparedPath(path, token), path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return 'lost';
    if (code === 'EEXIST' || code === 'ENOTEMPTY') return 'refused';
    if (code === 'ENOTDIR') throw noLock(path);
    if (code === 'ENOSYS' || code === 'ENOTSUP' || code === 'EOPNOTSUPP' || code === 'EXDEV')
      throw noRename(path, error);
    // Some systems say this where there is a directory in the place, empty or not.
    if (contents(path) !== undefined) return 'refused';
    throw error;
  }
  // Whoever sweeps leftovers may have removed the owner just before.
  if (isOwned(ownerFile(path, token))) return 'taken';
  remove(path, token);
  return 'lost';
}

/** The holder in the place; undefined where it is free. Fails with local-file (14) where something else is there. */
export function look(path: string): Found | undefined {
  const names = contents(path);
  if (names === undefined) return undefined;
  const token = names.find((name) => new RegExp(`^${TOKEN}$`).test(name));
  if (token === undefined) {
    if (names.length > 0) throw noLock(path);
    // Some systems rename no directory to the name of an empty one.
    removeEmpty(path);
    return undefined;
  }
  const owner = readOwner(ownerFile(path, token));
  if (owner !== undefined) return { token, ...owner };
  // Released just now; or broken, which a watch finds out.
  return contents(path)?.includes(token) === true ? { token, identity: undefined, text: '' } : undefined;
}

/** Takes a holder out of the place, at once and whole, and no other holder. Does nothing where it is gone. */
export function remove(path: string, token: string): void {
  const gone = `${path}.${newToken()}.gone`;
  try {
    renameSync(folderOf(path, token), gone);
  } catch (error) {
    if (isGone(error)) return;
    throw error;
  }
  try {
    // Usually that is all there is; a general removal takes three times as long.
    unlinkSync(join(gone, OWNER));
    rmdirSync(gone);
  } catch {
    rmSync(gone, { recursive: true, force: true });
  }
}

/** Removes the place itself where nobody holds the lock. */
export function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Somebody took it, or removed it as well.
  }
}

/** What killed processes left beside a lock: each with its token, and its owner where it has one. */
export function leftovers(path: string): readonly { readonly folder: string; readonly owner: Owner | undefined }[] {
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

function contents(path: string): readonly string[] | undefined {
  try {
    return readdirSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (errorCode(error) === 'ENOTDIR') throw noLock(path);
    throw error;
  }
}

const noLock = (path: string): Error =>
  localFile(`${path} is not a lock of this version of berth`, 'Where no berth is at work there, remove it.');

const noRename = (path: string, cause: unknown): Error =>
  localFile(
    `cannot lock ${path}: its file system cannot rename a directory`,
    'Use a directory on another file system.',
    cause,
  );

import type { Stats } from 'ssh2';
import { isNotFound } from '../../../../core/failure.ts';
import type { SftpSession } from './sftp-session.ts';
import type { Bytes, EpochMs } from '../../../../core/unit-types.ts';

/** What is at a path of a pod. */
export interface PodEntry {
  readonly name: string;
  /** A link is a `link`, unless it is followed; `other` is a pipe, a device or a socket. */
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly bytes: Bytes;
  /** In whole seconds. */
  readonly modifiedAt: EpochMs;
  /** Permission bits. */
  readonly mode: number;
}

/** Returns what is at a path; undefined where nothing is. */
export type Look = (path: string, followLink?: boolean) => Promise<PodEntry | undefined>;

/** The attributes of an entry as they were sent: any of them may be missing. */
export function entryOf(name: string, attributes: Stats): PodEntry {
  const { mode, size, mtime } = attributes as Partial<Stats>;
  return {
    name,
    kind: KINDS.get((mode ?? 0) & 0o170000) ?? 'other',
    bytes: Number.isSafeInteger(size) ? (size ?? 0) : Number.MAX_SAFE_INTEGER,
    modifiedAt: (mtime ?? 0) * 1000,
    mode: (mode ?? 0) & 0o777,
  };
}

/** The types of files in their permission bits. */
const KINDS = new Map<number, PodEntry['kind']>([
  [0o100000, 'file'],
  [0o040000, 'folder'],
  [0o120000, 'link'],
]);

/** Looks by a session. */
export const lookIn =
  (session: SftpSession): Look =>
  async (path: string, followLink = false): Promise<PodEntry | undefined> => {
    try {
      const found = await session.ask<Stats>(path, (client, done) => {
        if (followLink) client.stat(path, done);
        else client.lstat(path, done);
      });
      return entryOf(path.split('/').at(-1) ?? '', found);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };

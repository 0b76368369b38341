import type { Stats } from 'ssh2';
import { EXIT } from '../../../../core/exit-codes.ts';
import { Failure, isNotFound } from '../../../../core/failure.ts';
import type { CommandContext } from '../../../../cli/model/context.ts';
import type { ReachablePod } from '../reach-pod.ts';
import { createPodDigests, type PodDigests } from './digests.ts';
import { entryOf, lookIn, type PodEntry } from './pod-entry.ts';
import { putWhole, type PutSource, type WasPut } from './put-whole.ts';
import { readRange } from './read-range.ts';
import { openSftp, podPath, type SftpSession } from './sftp-session.ts';
import { isObject } from '../../../../core/json.ts';

/**
 * The files of a pod at one start of it, over one connection of SFTP. Paths are absolute, or relative to the home folder. Requests
 * may be made at once. Each fails with not-found (4), refused (5) for what the pod refuses, or unavailable (7) when the connection
 * has ended: then all later ones fail too, and another `openPodFiles` goes on.
 */
export interface PodFiles {
  readonly pod: ReachablePod;
  /** What is at a path; undefined where nothing is. */
  look(path: string, followLink?: boolean): Promise<PodEntry | undefined>;
  /** The entries of a folder, by name. */
  list(folder: string): Promise<readonly PodEntry[]>;
  /** Makes a folder and its missing parents, unless it is there. */
  makeFolder(path: string): Promise<void>;
  /**
   * Puts a file in place whole: under a temporary name beside it, then renamed. Its folder must exist. See `putWhole`.
   */
  put(path: string, source: PutSource, onBytes?: (bytes: number) => void): Promise<WasPut>;
  /** Reads a file from `start` to `end`. Fails with refused (5) where it is shorter. */
  read(path: string, start: number, end: number): AsyncIterable<Uint8Array>;
  /** The SHA-256 of a file in hexadecimal, computed in the pod; undefined where that has no sha256sum, or no such file. */
  digest(path: string): Promise<string | undefined>;
  /** Whether the pod can compute digests. */
  hasDigests(): Promise<boolean>;
  /** Removes a file or a link; nothing where there is none. */
  remove(path: string): Promise<void>;
  /** Removes a folder if nothing is in it; else it stays. */
  removeEmptyFolder(path: string): Promise<void>;
  close(): Promise<void>;
}

/** More entries than a folder may have: the list of a pod need not end. */
const MAX_ENTRIES = 1_000_000;

/** Opens the files of a pod. Fails with unavailable (7) where ssh cannot connect or the pod speaks no SFTP. */
export async function openPodFiles(
  ctx: Pick<CommandContext, 'spawn' | 'terminal' | 'signal'>,
  pod: ReachablePod,
): Promise<PodFiles> {
  const session = await openSftp(ctx, pod);
  const digests: PodDigests = createPodDigests(ctx, pod);
  const look = lookIn(session);
  const made = new Map<string, Promise<void>>();
  const makeFolder = folderMaker(session, pod, look, made);
  return {
    pod,
    look,
    list: (folder) => entriesOf(session, pod, folder),
    makeFolder,
    put: (path, source, onBytes = () => undefined) => putWhole({ session, pod, look, digests }, path, source, onBytes),
    read: (path, start, end) => readRange(session, pod, path, start, end),
    digest: (path) => digests.of(path),
    hasDigests: () => digests.isKnown(),
    remove: (path) =>
      unlessMissing(
        session.act(path, (client, done) => {
          client.unlink(path, done);
        }),
      ),
    removeEmptyFolder: (path) => {
      made.delete(path);
      return session
        .act(path, (client, done) => {
          client.rmdir(path, done);
        })
        .catch((error: unknown) => {
          if (!(error instanceof Failure) || error.exit === EXIT.unavailable) throw error;
        });
    },
    close: async () => {
      await Promise.all([session.close(), digests.close()]);
    },
  };
}

const unlessMissing = (work: Promise<void>): Promise<void> =>
  work.catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });

async function entriesOf(session: SftpSession, pod: ReachablePod, folder: string): Promise<readonly PodEntry[]> {
  const handle = await session.ask<Buffer>(folder, (client, done) => {
    client.opendir(folder, done);
  });
  const entries: PodEntry[] = [];
  try {
    for (;;) {
      const some = await session.ask<readonly { readonly filename: string; readonly attrs: Stats }[] | undefined>(
        folder,
        (client, done) => {
          client.readdir(handle, (error, list) => {
            // 1 is the end of the list.
            if (isObject(error) && error['code'] === 1) done(undefined, undefined);
            else done(error, list);
          });
        },
      );
      if (some === undefined || some.length === 0) break;
      for (const { filename, attrs } of some)
        if (filename !== '.' && filename !== '..') entries.push(entryOf(filename, attrs));
      if (entries.length > MAX_ENTRIES)
        throw new Failure({
          code: 'pod-file',
          exit: EXIT.refused,
          message: `${podPath(pod, folder)} has more than ${String(MAX_ENTRIES)} entries`,
        });
    }
  } finally {
    await session
      .act(folder, (client, done) => {
        client.close(handle, done);
      })
      .catch(() => undefined);
  }
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Makes folders, each once: several files of one folder may be sent at the same time. */
function folderMaker(
  session: SftpSession,
  pod: ReachablePod,
  look: PodFiles['look'],
  made: Map<string, Promise<void>>,
) {
  const make = async (path: string): Promise<void> => {
    const there = await look(path, true);
    if (there?.kind === 'folder') return;
    if (there !== undefined)
      throw new Failure({
        code: 'pod-file',
        exit: EXIT.refused,
        message: `${podPath(pod, path)} is in the way: it is no folder`,
      });
    const slash = path.lastIndexOf('/');
    if (slash > 0) await makeOnce(path.slice(0, slash));
    await session
      .act(path, (client, done) => {
        client.mkdir(path, done);
      })
      .catch(async (error: unknown) => {
        if ((await look(path, true))?.kind !== 'folder') throw error;
      });
  };
  const makeOnce = (path: string): Promise<void> => {
    const known = made.get(path) ?? make(path);
    made.set(path, known);
    known.catch(() => made.delete(path));
    return known;
  };
  return (path: string): Promise<void> => makeOnce(path.replace(/(?<=.)\/+$/, ''));
}

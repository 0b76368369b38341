import { createHash } from 'node:crypto';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { severalAtOnce } from '../../../core/control/several-at-once.ts';
import type { Bytes } from '../../../core/unit-types.ts';
import type { PodFiles } from '../reach/files/pod-files.ts';
import { readManifest, writeManifest } from './manifest.ts';
import type { Scan, SourceFile } from './source-folder.ts';

/** What a sync is about to do. */
export interface Plan {
  readonly send: readonly string[];
  readonly remove: readonly string[];
  readonly bytes: Bytes;
}

/** What a sync did. */
export interface Synced {
  /** The paths that are other than before, the first one first. */
  readonly changed: readonly string[];
  /** Files that changed while they were sent, or are not what was sent: another sync has to follow. */
  readonly unsettled: readonly string[];
  /** Files of berth's that are gone here and were changed in the pod: they stay there. */
  readonly kept: readonly string[];
}

/** A folder of a pod that is made like one of this machine. */
export interface PodFolder {
  /** Whether a manifest was there: without one everything is sent, and nothing removed. */
  readonly hadManifest: boolean;
  plan(scan: Scan): Promise<Plan>;
  sync(scan: Scan, plan: Plan, onBytes: (bytes: Bytes) => void): Promise<Synced>;
}

/** Files at once, and digests that are asked for at once. */
const [SENT_AT_ONCE, ASKED_AT_ONCE] = [8, 64];

/** Opens a folder of a pod; it is made where it is missing. Fails as the files of a pod do. */
export async function openPodFolder(files: PodFiles, target: string): Promise<PodFolder> {
  const at = (path: string): string => `${target}/${path}`;
  await files.makeFolder(target);
  const before = await readManifest(files, target);
  /** What berth put there. */
  const ours = new Map(before);
  /** What is there, as far as it was looked at; undefined before the first plan. */
  let there: Map<string, string> | undefined;

  const digestThere = async (path: string): Promise<string | undefined> => {
    const known = await files.digest(at(path));
    if (known !== undefined) return known;
    const entry = await files.look(at(path));
    if (entry?.kind !== 'file') return undefined;
    const hash = createHash('sha256');
    for await (const chunk of files.read(at(path), 0, entry.bytes)) hash.update(chunk);
    return hash.digest('hex');
  };

  const lookAtAll = async (paths: Iterable<string>): Promise<Map<string, string>> => {
    const found = new Map<string, string>();
    const look = async (path: string) => [path, await digestThere(path)] as const;
    for await (const [path, digest] of severalAtOnce(iterate(paths), look, { atOnce: ASKED_AT_ONCE, ahead: 1000 }))
      if (digest !== undefined) found.set(path, digest);
    return found;
  };

  const put = async (path: string, source: SourceFile, onBytes: (bytes: Bytes) => void): Promise<boolean> => {
    const slash = path.lastIndexOf('/');
    if (slash > 0) await files.makeFolder(at(path.slice(0, slash)));
    const { isSame } = await files.put(at(path), source, onBytes);
    return !isSame;
  };

  /** Removes files that are as berth put them; yields those that are not. */
  const removeOurs = async (paths: readonly string[]): Promise<readonly string[]> => {
    const found = await lookAtAll(paths);
    const kept = paths.filter((path) => found.has(path) && found.get(path) !== ours.get(path));
    const gone = paths.filter((path) => !kept.includes(path));
    const removeOne = async (path: string) => {
      if (found.has(path)) await files.remove(at(path));
    };
    for await (const _ of severalAtOnce(iterate(gone), removeOne, { atOnce: SENT_AT_ONCE, ahead: 1000 }));
    for (const folder of foldersOf(gone)) await files.removeEmptyFolder(at(folder));
    for (const path of paths) {
      ours.delete(path);
      there?.delete(path);
    }
    return kept;
  };

  return {
    hadManifest: before !== undefined,
    plan: async (scan) => {
      there ??= await lookAtAll(new Set([...scan.files.keys(), ...ours.keys()]));
      const send: string[] = [];
      for (const [path, file] of scan.files) if (there.get(path) !== (await digestOf(file))) send.push(path);
      const remove = scan.isWhole ? [...ours.keys()].filter((path) => !scan.files.has(path)) : [];
      const bytes = send.reduce((sum, path) => sum + (scan.files.get(path)?.bytes ?? 0), 0);
      return { send, remove, bytes };
    },
    sync: async (scan, { send, remove }, onBytes) => {
      if (send.length === 0 && remove.length === 0) return { changed: [], unsettled: [], kept: [] };
      const unsettled = new Set<string>();
      // What stood in the way of a file or folder goes first; the rest goes last, so that a renamed file is never missing.
      const inTheWay = remove.filter((path) =>
        send.some((each) => each.startsWith(`${path}/`) || path.startsWith(`${each}/`)),
      );
      const kept = [...(await removeOurs(inTheWay))];
      // If this is cut off, what was new to the pod is known to be berth's.
      const ahead = new Map(ours);
      for (const path of send) {
        const digest = await digestOf(scan.files.get(path));
        if (digest !== undefined && (there?.has(path) !== true || ours.has(path))) ahead.set(path, digest);
      }
      await writeManifest(files, target, ahead);
      const sendOne = async (path: string): Promise<void> => {
        const source = scan.files.get(path);
        const digest = await digestOf(source);
        if (source === undefined || digest === undefined) {
          unsettled.add(path);
          return;
        }
        try {
          const isPut = await put(path, source, onBytes);
          if (isPut || ours.has(path)) ours.set(path, digest);
          there?.set(path, digest);
        } catch (error) {
          // The file here is another one by now, or gone.
          if (!(error instanceof Failure) || error.exit !== EXIT.localFile) throw error;
          unsettled.add(path);
        }
      };
      for await (const _ of severalAtOnce(iterate(send), sendOne, { atOnce: SENT_AT_ONCE, ahead: 1000 }));
      kept.push(...(await removeOurs(remove.filter((path) => !inTheWay.includes(path)))));
      await writeManifest(files, target, ours);
      const settled = send.filter((path) => !unsettled.has(path));
      const found = await lookAtAll(settled);
      for (const path of settled)
        if (found.get(path) !== (await digestOf(scan.files.get(path)))) {
          unsettled.add(path);
          there?.delete(path);
        }
      return { changed: [...send, ...remove], unsettled: [...unsettled], kept };
    },
  };
}

/** The digest of a file here; undefined where it changed or went away while it was read. */
async function digestOf(file: SourceFile | undefined): Promise<string | undefined> {
  try {
    return await file?.digest();
  } catch (error) {
    if (!(error instanceof Failure) || error.exit !== EXIT.localFile) throw error;
    return undefined;
  }
}

async function* iterate<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

/** The folders that files are in, the inner ones first. */
function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const path of paths)
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1))
      folders.add(path.slice(0, slash));
  return [...folders].sort((one, other) => other.length - one.length);
}

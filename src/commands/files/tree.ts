import { addressText } from './address.ts';
import type { Filter } from './filter.ts';
import { joined } from './names.ts';
import type { RangeFiles, TreeEntry } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, localFile } from '../../core/failure.ts';
import type { VolumeFile, VolumeFiles } from '../../core/file-ports.ts';
import { compareBytes } from '../../core/text.ts';
import type { Bytes, EpochMs } from '../../core/unit-types.ts';

export type End =
  | { readonly kind: 'volume'; readonly name: string; readonly volume: VolumeFiles; readonly key: string }
  /** `root` is the folder that a copy must not leave through a link. */
  | { readonly kind: 'local'; readonly path: string; readonly root?: string };

export type FileEnd =
  | (Extract<End, { kind: 'volume' }> & { readonly file: VolumeFile })
  | (Extract<End, { kind: 'local' }> & { readonly file: { readonly bytes: Bytes; readonly version: string } });

export const shown = (end: End): string =>
  end.kind === 'local' ? end.path : addressText({ volume: end.name, path: end.key });

export interface TreeFile {
  readonly kind: 'file';
  /** Below the folder. */
  readonly path: string;
  /** Undefined where the service does not say it. */
  readonly modifiedAt: EpochMs | undefined;
  readonly at: FileEnd;
}

export type TreeItem =
  | TreeFile
  /** A link, or not a regular file. `name` has the folder too. */
  | { readonly kind: 'left-out'; readonly path: string; readonly name: string; readonly why: string }
  /** A folder that cannot be read: what is in it is not known. */
  | { readonly kind: 'failed'; readonly path: string; readonly name: string; readonly failure: Failure };

/** A folder and all that is in it. */
export interface Tree {
  readonly kind: End['kind'];
  /** In the order of the bytes of their paths; complete or an error. */
  items(filter: Filter): AsyncIterable<TreeItem>;
  look(path: string): Promise<TreeItem | undefined>;
  end(path: string): End;
}

/** Of unfinished downloads, beside their targets. */
const TEMPORARY = /^\.berth-[0-9a-f]{12}\.partial$/;

interface LocalOptions {
  /** Links are followed except in a loop; else they are left out. */
  readonly followLinks: boolean;
  /** A missing folder is an empty one. */
  readonly mayMiss: boolean;
}

export function localTree(files: RangeFiles, root: string, { followLinks, mayMiss }: LocalOptions): Tree {
  const at = (path: string): string => joined(root, path);
  const leftOut = (path: string, why: string): TreeItem => ({ kind: 'left-out', path, name: at(path), why });
  const failed = (path: string, failure: Failure): TreeItem => ({ kind: 'failed', path, name: at(path), failure });
  const itemOf = (path: string, { kind, bytes, version, modifiedAt }: TreeEntry): TreeItem =>
    kind === 'file'
      ? { kind, path, modifiedAt, at: { kind: 'local', path: at(path), root, file: { bytes, version } } }
      : leftOut(path, REASONS[kind]);

  /** `above`: identities of the folders that this one is in. */
  async function* walk(folder: string, filter: Filter, above: readonly string[]): AsyncGenerator<TreeItem> {
    const entries: TreeEntry[] = [];
    try {
      for await (const entry of files.contents(at(folder), followLinks)) entries.push(entry);
    } catch (error) {
      if (!(error instanceof Failure) || error.exit !== EXIT.localFile || folder === '') throw error;
      yield failed(folder.slice(0, -1), error);
      return;
    }
    const nameOf = ({ name, kind }: TreeEntry): string => (kind === 'folder' ? `${name}/` : name);
    for (const entry of entries.sort((one, other) => compareBytes(nameOf(one), nameOf(other)))) {
      const path = `${folder}${entry.name}`;
      if (entry.kind === 'folder') {
        if (above.includes(entry.identity)) yield leftOut(path, 'it is a link to a folder that it is in');
        else if (filter.enters(path)) yield* walk(`${path}/`, filter, [...above, entry.identity]);
      } else if (filter.takes(path) && !TEMPORARY.test(entry.name))
        yield entry.name.includes('\ufffd')
          ? failed(path, badName(`${at(path)} was not copied: its name is not valid Unicode`))
          : itemOf(path, entry);
    }
  }

  return {
    kind: 'local',
    items: async function* (filter) {
      const top = await files.lookAt(at(''), true);
      if (top !== undefined || !mayMiss) yield* walk('', filter, top === undefined ? [] : [top.identity]);
    },
    look: async (path) => {
      const entry = await files.lookAt(at(path), followLinks);
      return entry === undefined ? undefined : itemOf(path, entry);
    },
    end: (path) => ({ kind: 'local', path: at(path), root }),
  };
}

const REASONS = { link: 'it is a link', folder: 'it is a folder', other: 'it is not a regular file' };

export const badName = (message: string): Failure => new Failure({ code: 'bad-name', exit: EXIT.localFile, message });

/** `root` is empty, or ends with a slash. */
export function volumeTree(volume: VolumeFiles, name: string, root: string): Tree {
  const end = (path: string) => ({ kind: 'volume' as const, name, volume, key: `${root}${path}` });
  const itemOf = (file: VolumeFile): TreeFile => {
    const path = file.key.slice(root.length);
    return { kind: 'file', path, modifiedAt: file.modifiedAt, at: { ...end(path), file } };
  };
  return {
    kind: 'volume',
    items: async function* (filter) {
      for await (const entry of volume.list(root))
        if (entry.kind === 'file' && filter.takes(entry.key.slice(root.length))) yield itemOf(entry.file);
    },
    look: async (path) => {
      const file = await volume.find(`${root}${path}`);
      return file === undefined ? undefined : itemOf(file);
    },
    end,
  };
}

/** Removes the file that was seen, unless it is gone. Local-file (14) where it was changed or written again since. */
export async function removeSeen(files: RangeFiles, at: FileEnd): Promise<void> {
  const changed = () => localFile(`${shown(at)} was changed meanwhile: it was not removed`, 'Run it again.');
  if (at.kind === 'local') {
    const now = await files.describe(at.path);
    if (now === undefined) return;
    if (now.version !== at.file.version) throw changed();
    await files.remove(at.path);
    return;
  }
  const now = await at.volume.find(at.key);
  if (now === undefined) return;
  // A file written since the listing stays, even with the same content. HEAD has seconds, a listing milliseconds.
  const isLater = (now.modifiedAt ?? 0) >= (at.file.modifiedAt ?? Infinity) + 1000;
  if (now.version !== at.file.version || isLater) throw changed();
  await at.volume.remove(at.key);
}

import { addressText } from './address.ts';
import type { Filter } from './filter.ts';
import { joined } from './names.ts';
import type { RangeFiles, TreeEntry } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, localFile } from '../../core/failure.ts';
import type { VolumeFile, VolumeFiles } from '../../core/file-ports.ts';
import { compareBytes } from '../../core/text.ts';

interface VolumeEnd {
  readonly kind: 'volume';
  readonly name: string;
  readonly volume: VolumeFiles;
  readonly key: string;
}

interface LocalEnd {
  readonly kind: 'local';
  readonly path: string;
  /** The folder that a copy must not leave through a link. */
  readonly root?: string;
}

export type End = VolumeEnd | LocalEnd;
export type FileOnVolume = VolumeEnd & { readonly file: VolumeFile };
export type LocalFile = LocalEnd & { readonly file: TreeEntry };
export type FileEnd = FileOnVolume | LocalFile;

export const shown = (end: End): string =>
  end.kind === 'local' ? end.path : addressText({ volume: end.name, path: end.key });

export type TreeItem =
  /** `path` is below the folder. */
  | { readonly kind: 'file'; readonly path: string; readonly at: FileEnd }
  /** A link, or not a regular file. `name` has the folder too. */
  | { readonly kind: 'left-out'; readonly path: string; readonly name: string; readonly why: string }
  /** A folder that cannot be read: its files are not known. */
  | { readonly kind: 'failed'; readonly path: string; readonly name: string; readonly failure: Failure };

export type TreeFile = Extract<TreeItem, { kind: 'file' }>;

/** A folder and all that is in it. */
export interface Tree {
  /** In the order of the bytes of their paths; complete or an error. */
  items(filter: Filter): AsyncIterable<TreeItem>;
  look(path: string): Promise<TreeItem | undefined>;
  end(path: string): End;
}

/** Of unfinished downloads, beside their targets. */
const TEMPORARY = /^\.berth-[0-9a-f]{12}\.partial$/;

const REASONS = { link: 'it is a link', folder: 'it is a folder', other: 'it is not a regular file' };

export const badName = (message: string): Failure => new Failure({ code: 'bad-name', exit: EXIT.localFile, message });

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
  const itemOf = (path: string, file: TreeEntry): TreeItem =>
    file.kind === 'file'
      ? { kind: 'file', path, at: { kind: 'local', path: at(path), root, file } }
      : path.includes('\ufffd')
        ? failed(path, badName(`${at(path)} was not copied: its name is not valid Unicode`))
        : leftOut(path, REASONS[file.kind]);

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
      } else if (filter.takes(path) && !TEMPORARY.test(entry.name)) yield itemOf(path, entry);
    }
  }

  return {
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

/** `root` is empty, or ends with a slash. */
export function volumeTree(volume: VolumeFiles, name: string, root: string): Tree {
  const end = (path: string) => ({ kind: 'volume' as const, name, volume, key: `${root}${path}` });
  const itemOf = (file: VolumeFile): TreeFile => {
    const path = file.key.slice(root.length);
    return { kind: 'file', path, at: { ...end(path), file } };
  };
  return {
    items: async function* (filter) {
      for await (const entry of volume.list(root))
        if (entry.kind === 'file' && filter.takes(entry.key.slice(root.length))) yield itemOf(entry.file);
    },
    look: async (path) => {
      const file = await volume.find(`${root}${path}`);
      return file && itemOf(file);
    },
    end,
  };
}

export async function fileHere(files: RangeFiles, path: string): Promise<TreeEntry | undefined> {
  const there = await files.lookAt(path, true);
  return there?.kind === 'file' ? there : undefined;
}

/** Removes the file that was seen, unless it is gone. Local-file (14) where it was changed or written again since. */
export async function removeSeen(files: RangeFiles, at: FileEnd): Promise<void> {
  const now = at.kind === 'local' ? await fileHere(files, at.path) : await at.volume.find(at.key);
  if (now === undefined) return;
  // A file written since the listing stays, even with the same content. HEAD has seconds, a listing milliseconds.
  const isLater = at.kind === 'volume' && (now.modifiedAt ?? 0) >= (at.file.modifiedAt ?? Infinity) + 1000;
  if (now.version !== at.file.version || isLater)
    throw localFile(`${shown(at)} was changed meanwhile: it was not removed`, 'Run it again.');
  await (at.kind === 'local' ? files.remove(at.path) : at.volume.remove(at.key));
}

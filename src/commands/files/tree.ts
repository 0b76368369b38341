import { addressText } from './address.ts';
import type { Filter } from './filter.ts';
import { joined, MAX_DEPTH } from './names.ts';
import type { RangeFiles, TreeEntry } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, localFile } from '../../core/failure.ts';
import type { VolumeFile, VolumeFiles } from '../../core/file-ports.ts';
import { collectBytes } from '../../core/files.ts';
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

interface TreeOptions {
  readonly filter: Filter;
  /** Read in each folder, with rules as in .gitignore. */
  readonly ignoreFiles: readonly string[];
}

/** A folder and all that is in it. */
export interface Tree {
  readonly kind: End['kind'];
  /** In the order of the bytes of their paths; complete or an error. */
  items(options: TreeOptions): AsyncIterable<TreeItem>;
  look(path: string): Promise<TreeItem | undefined>;
  end(path: string): End;
  /** Only the file that was seen. Local-file (14) where it was changed since. */
  remove(seen: TreeFile): Promise<void>;
}

const MAX_RULES_BYTES: Bytes = 1_048_576;

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
  const itemOf = (path: string, entry: TreeEntry): TreeItem =>
    entry.kind === 'file'
      ? {
          kind: 'file',
          path,
          modifiedAt: entry.modifiedAt,
          at: { kind: 'local', path: at(path), root, file: { bytes: entry.bytes, version: entry.version } },
        }
      : { kind: 'left-out', path, name: at(path), why: reasonOf(entry) };

  async function* walk(
    folder: string,
    above: Filter,
    ignoreFiles: readonly string[],
    chain: readonly string[],
  ): AsyncGenerator<TreeItem> {
    const entries: TreeEntry[] = [];
    let filter: Filter;
    try {
      refuseDepth(folder, at);
      for await (const entry of files.contents(at(folder), followLinks)) entries.push(entry);
      filter = above.below(folder, await rulesIn(folder, ignoreFiles));
    } catch (error) {
      if (!(error instanceof Failure) || error.exit !== EXIT.localFile || folder === '') throw error;
      yield { kind: 'failed', path: folder.slice(0, -1), name: at(folder.slice(0, -1)), failure: error };
      return;
    }
    const nameOf = ({ name, kind }: TreeEntry): string => (kind === 'folder' ? `${name}/` : name);
    for (const entry of entries.sort((one, other) => compareBytes(nameOf(one), nameOf(other)))) {
      const path = `${folder}${entry.name}`;
      if (entry.kind === 'folder') {
        if (chain.includes(entry.identity))
          yield { kind: 'left-out', path, name: at(path), why: 'it is a link to a folder that it is in' };
        else if (filter.enters(path)) yield* walk(`${path}/`, filter, ignoreFiles, [...chain, entry.identity]);
      } else if (filter.takes(path) && !TEMPORARY.test(entry.name))
        yield entry.name.includes('\ufffd')
          ? {
              kind: 'failed',
              path,
              name: at(path),
              failure: badName(`${at(path)} was not copied: its name is not valid Unicode`),
            }
          : itemOf(path, entry);
    }
  }

  async function rulesIn(folder: string, ignoreFiles: readonly string[]): Promise<readonly string[]> {
    const rules: string[] = [];
    for (const name of ignoreFiles)
      if ((await files.lookAt(at(`${folder}${name}`), followLinks))?.kind === 'file')
        rules.push(await rulesOf(at(`${folder}${name}`), files.read(at(`${folder}${name}`), 0)));
    return rules;
  }

  return {
    kind: 'local',
    items: async function* ({ filter, ignoreFiles }) {
      const top = await files.lookAt(at(''), true);
      if (top !== undefined || !mayMiss) yield* walk('', filter, ignoreFiles, top === undefined ? [] : [top.identity]);
    },
    look: async (path) => {
      const entry = await files.lookAt(at(path), followLinks);
      return entry === undefined ? undefined : itemOf(path, entry);
    },
    end: (path) => ({ kind: 'local', path: at(path), root }),
    remove: async ({ path, at: { file } }) => {
      const entry = await files.lookAt(at(path));
      if (entry === undefined) return;
      if (entry.version !== file.version) throw changedMeanwhile(at(path));
      await files.remove(at(path));
    },
  };
}

const reasonOf = ({ kind }: TreeEntry): string =>
  kind === 'link' ? 'it is a link' : kind === 'folder' ? 'it is a folder' : 'it is not a regular file';

function refuseDepth(path: string, shownPath: (path: string) => string): void {
  const names = path.split('/');
  if (names.length > MAX_DEPTH + 1)
    throw localFile(
      `${shownPath(names.slice(0, 3).join('/'))}/... has more than ${String(MAX_DEPTH)} folders in each other`,
      'Copy it as an archive (tar), or leave it out with --exclude.',
    );
}

async function rulesOf(path: string, chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const bytes = await collectBytes(chunks, MAX_RULES_BYTES);
  if (bytes === undefined) throw localFile(`${path} is too large for a file with rules`);
  return bytes.toString();
}

export const badName = (message: string): Failure => new Failure({ code: 'bad-name', exit: EXIT.localFile, message });

/** Failure (14): not removed, because another file replaced it. */
const changedMeanwhile = (path: string) =>
  localFile(`${path} was changed meanwhile: it was not removed`, 'Run it again.');

/** `root` is empty, or ends with a slash. */
export function volumeTree(volume: VolumeFiles, name: string, root: string): Tree {
  const end = (path: string): Extract<End, { kind: 'volume' }> => ({
    kind: 'volume',
    name,
    volume,
    key: `${root}${path}`,
  });
  const itemOf = (file: VolumeFile): TreeFile => {
    const path = file.key.slice(root.length);
    return { kind: 'file', path, modifiedAt: file.modifiedAt, at: { ...end(path), file } };
  };
  /** Folder by folder, for the rules in them; else one listing has all. */
  async function* walk(folder: string, above: Filter, ignoreFiles: readonly string[]): AsyncGenerator<VolumeFile> {
    const rules: string[] = [];
    for (const each of ignoreFiles) {
      const file = await volume.find(`${root}${folder}${each}`);
      if (file !== undefined) rules.push(await rulesOf(file.key, volume.read(file)));
    }
    const filter = above.below(folder, rules);
    for await (const entry of volume.list(`${root}${folder}`, ignoreFiles.length > 0)) {
      const path = entry.key.slice(root.length);
      if (entry.kind === 'file') {
        if (filter.takes(path)) yield entry.file;
      } else if (ignoreFiles.length > 0 && filter.enters(path.slice(0, -1))) yield* walk(path, filter, ignoreFiles);
    }
  }
  return {
    kind: 'volume',
    items: async function* ({ filter, ignoreFiles }) {
      for await (const file of walk('', filter, ignoreFiles)) {
        const item = itemOf(file);
        try {
          refuseDepth(item.path, (path) => shown(end(path)));
          yield item;
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          yield { kind: 'failed', path: item.path, name: shown(item.at), failure: error };
        }
      }
    },
    look: async (path) => {
      const file = await volume.find(`${root}${path}`);
      return file === undefined ? undefined : itemOf(file);
    },
    end,
    remove: async ({ path, at: { file } }) => {
      const seen = file as VolumeFile;
      const now = await volume.find(`${root}${path}`);
      if (now === undefined) return;
      // A file written since the listing stays, even with the same content.
      if (now.version !== seen.version || isLater(now, seen)) throw changedMeanwhile(shown(end(path)));
      await volume.remove(now.key);
    },
  };
}

/** HEAD has seconds, a listing milliseconds. */
const isLater = (now: VolumeFile, seen: VolumeFile): boolean =>
  now.modifiedAt !== undefined && seen.modifiedAt !== undefined && now.modifiedAt >= seen.modifiedAt + 1000;

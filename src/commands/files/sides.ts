import type { Copy, End } from './copy.ts';
import { addressText, belowFolder, foldedName } from './file-address.ts';
import type { RangeFiles, TreeEntry } from '../../core/context.ts';
import { createSorter, mapItems } from '../../core/external-sort.ts';
import { type Failure, localFile } from '../../core/failure.ts';
import type { SortedItems, VolumeEntry, VolumeFile, VolumeFiles } from '../../core/file-ports.ts';
import { collectBytes } from '../../core/files.ts';
import type { Bytes, EpochMs } from '../../core/unit-types.ts';

export interface SideFile {
  readonly kind: 'file';
  readonly name: string;
  /** Undefined where the service does not say it. */
  readonly modifiedAt: EpochMs | undefined;
  readonly executable?: boolean;
  readonly from: Copy['from'];
}

/** Left out: links, and anything but regular files. */
export type SideEntry =
  | SideFile
  | { readonly kind: 'folder'; readonly name: string }
  | { readonly kind: 'left-out'; readonly name: string; readonly why: string };

/** Paths are below its folder; a folder's path ends with a slash, and is empty for the side itself. */
export interface Side {
  readonly kind: 'local' | 'volume';
  /** In the order of `orderOfName`; complete or an error. Fails where there is no such folder. */
  list(folder: string): Promise<SortedItems<SideEntry>>;
  readText(file: SideFile): Promise<string>;
  look(path: string): Promise<SideFile | undefined>;
  /** Only the file that was seen. Local-file (14) where it was changed since. */
  remove(path: string, seen: SideFile): Promise<void>;
  /** Does nothing on a volume. */
  removeEmptyFolder(folder: string): Promise<void>;
  end(path: string): End;
  shown(path: string): string;
}

export type Difference =
  /** `refused` says why it cannot be there. */
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly source: SideFile;
      readonly target: SideFile | undefined;
      readonly refused: string | undefined;
    }
  /** A file that only the target has. */
  | { readonly kind: 'extra'; readonly path: string; readonly target: SideFile }
  | { readonly kind: 'left-out'; readonly path: string; readonly why: string }
  /** A local folder that cannot be read, of either side. Nothing is known about what is in it. */
  | { readonly kind: 'unreadable'; readonly path: string; readonly failure: Failure };

const MAX_RULES_BYTES: Bytes = 1_048_576;

/** Sort key: names that are the same on some systems stand together. */
const orderOfName = (name: string, kind: string): string =>
  `${foldedName(name)}\0${name}\0${kind === 'folder' ? '1' : '0'}`;

/** Of unfinished downloads, beside their targets. */
const TEMPORARY = /^\.berth-[0-9a-f]{12}\.(partial|ranges)$/;

/** More than people make, and less than ends the stack. */
const MAX_DEPTH = 200;

function refuseDepth(folder: string, shown: (path: string) => string): void {
  const names = folder.split('/');
  if (names.length > MAX_DEPTH + 1)
    throw localFile(
      `${shown(names.slice(0, 3).join('/'))}/... has more than ${MAX_DEPTH} folders in each other`,
      'Copy it as an archive (tar), or leave it out with --exclude.',
    );
}

/** Skips links; `followLinks` follows them except in a loop. `mayMiss`: a missing target is empty. */
export function localSide(
  files: RangeFiles,
  root: string,
  { followLinks, mayMiss }: { readonly followLinks: boolean; readonly mayMiss: boolean },
): Side {
  const at = (path: string): string => (path === '' ? root : belowFolder(root, path));
  /** None where no link is followed. */
  const chainOf = async (folder: string): Promise<readonly string[]> => {
    if (!followLinks) return [];
    const names = folder.split('/').slice(0, -1);
    const paths = ['', ...names.map((_, index) => names.slice(0, index + 1).join('/'))];
    const entries = await Promise.all(paths.map((path) => files.lookAt(at(path), true)));
    return entries.flatMap((entry) => entry?.identity ?? []);
  };
  const fileOf = (path: string, { name, bytes, version, modifiedAt, executable }: TreeEntry): SideFile => ({
    kind: 'file',
    name,
    modifiedAt,
    executable,
    from: { kind: 'local', path: at(path), file: { path: at(path), bytes, version } },
  });
  const entryOf = (folder: string, entry: TreeEntry, chain: readonly string[]): SideEntry => {
    const { name, kind, identity } = entry;
    if (kind === 'file') return fileOf(`${folder}${name}`, entry);
    if (kind !== 'folder')
      return { kind: 'left-out', name, why: kind === 'link' ? 'it is a link' : 'it is no regular file' };
    if (chain.includes(identity)) return { kind: 'left-out', name, why: 'it is a link to a folder that it is in' };
    return { kind: 'folder', name };
  };
  return {
    kind: 'local',
    list: async (folder) => {
      refuseDepth(folder, at);
      const chain = await chainOf(folder);
      const sorter = createSorter<TreeEntry>(files, ({ name, kind }) => orderOfName(name, kind));
      if (!mayMiss || (await files.lookAt(at(folder), true)) !== undefined)
        for await (const entry of files.contents(at(folder), followLinks))
          if (!TEMPORARY.test(entry.name)) await sorter.add([entry]);
      return mapItems(sorter.sorted(), (entry) => entryOf(folder, entry, chain));
    },
    readText: async ({ from }) => {
      const { path } = from as Extract<typeof from, { kind: 'local' }>;
      const bytes = await collectBytes(files.read(path, 0), MAX_RULES_BYTES);
      if (bytes === undefined) throw localFile(`${path} is too large for a file with rules`);
      return bytes.toString();
    },
    look: async (path) => {
      const entry = await files.lookAt(at(path), followLinks);
      return entry?.kind === 'file' ? fileOf(path, entry) : undefined;
    },
    remove: async (path, { from }) => {
      const seen = from as Extract<typeof from, { kind: 'local' }>;
      const entry = await files.lookAt(at(path));
      if (entry === undefined) return;
      if (entry.version !== seen.file.version) throw changedMeanwhile(at(path));
      await files.remove(at(path));
    },
    removeEmptyFolder: (folder) => files.removeEmptyFolder(at(folder)),
    end: (path) => ({ kind: 'local', path: at(path) }),
    shown: at,
  };
}

/** Failure (14): not removed, because another file replaced it. */
const changedMeanwhile = (shown: string) =>
  localFile(`${shown} was changed meanwhile: it was not removed`, 'Run it again.');

/** Parts of unfinished uploads (storage contract), not files of the user. */
export const UPLOADS = '.s3compat_uploads/';

/** `root` is empty, or ends with a slash. */
export function volumeSide(volume: VolumeFiles, name: string, root: string): Side {
  const shown = (path: string): string => addressText({ volume: name, path: `${root}${path}` });
  const fileOf = (file: VolumeFile): SideFile => ({
    kind: 'file',
    name: file.key.slice(file.key.lastIndexOf('/') + 1),
    modifiedAt: file.modifiedAt,
    from: { kind: 'volume', name, volume, key: file.key, file },
  });
  return {
    kind: 'volume',
    list: async (folder) => {
      refuseDepth(folder, shown);
      const prefix = `${root}${folder}`;
      const nameOf = ({ kind, key }: VolumeEntry): string =>
        key.slice(prefix.length, kind === 'folder' ? -1 : undefined);
      const entries = await volume.folder(prefix, { orderOf: (entry) => orderOfName(nameOf(entry), entry.kind) });
      return mapItems(entries, (entry) => {
        if (entry.kind === 'file') return fileOf(entry.file);
        return entry.key === UPLOADS ? undefined : { kind: 'folder', name: nameOf(entry) };
      });
    },
    readText: async ({ from }) => {
      const { file } = from as Extract<typeof from, { kind: 'volume' }>;
      const bytes = await collectBytes(volume.read(file), MAX_RULES_BYTES);
      if (bytes === undefined) throw localFile(`${file.key} is too large for a file with rules`);
      return bytes.toString();
    },
    look: async (path) => {
      const file = await volume.find(`${root}${path}`);
      return file === undefined ? undefined : fileOf(file);
    },
    remove: async (path, { from }) => {
      const seen = from as Extract<typeof from, { kind: 'volume' }>;
      const now = await volume.find(seen.key);
      if (now === undefined) return;
      // A file written since the listing stays, even with the same content.
      if (now.version !== seen.file.version || isLater(now, seen.file)) throw changedMeanwhile(shown(path));
      await volume.remove(seen.key);
    },
    // Unspecified: what a volume does with the key of a non-empty folder.
    removeEmptyFolder: () => Promise.resolve(),
    end: (path) => ({ kind: 'volume', name, volume, key: `${root}${path}` }),
    shown,
  };
}

/** HEAD has seconds, a listing milliseconds. */
const isLater = (now: VolumeFile, seen: VolumeFile): boolean =>
  now.modifiedAt !== undefined && seen.modifiedAt !== undefined && now.modifiedAt >= seen.modifiedAt + 1000;

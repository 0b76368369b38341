import type { RangeFiles, TreeEntry } from '../../../core/context.ts';
import { localFile } from '../../../core/failure.ts';
import { collectBytes } from '../../../core/files/byte-streams.ts';
import { belowFolder } from '../../shared/paths/slashes.ts';
import { createSorter, mapItems } from '../../../core/files/external-sort.ts';
import { MAX_RULES_BYTES, orderOfName, type Side, type SideEntry, type SideFile } from './sides.ts';

/** What a download that is under way has beside its target. */
const TEMPORARY = /^\.berth-[0-9a-f]{12}\.(partial|ranges)$/;

/**
 * A folder of this machine as a side of a sync. Links are left out, or with `followLinks` what they lead to, unless that is a
 * folder which the link is in. As a target it may be missing (`mayMiss`): then it is empty.
 */
export function localSide(
  files: RangeFiles,
  root: string,
  { followLinks, mayMiss }: { readonly followLinks: boolean; readonly mayMiss: boolean },
): Side {
  const at = (path: string): string => (path === '' ? root : belowFolder(root, path));
  /** A folder and those that it is in; none where no link is followed. */
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

/** The failure (14) of a file that is not removed, because it is another one than the one that was seen. */
export const changedMeanwhile = (shown: string) =>
  localFile(`${shown} was changed meanwhile: it was not removed`, 'Run it again.');

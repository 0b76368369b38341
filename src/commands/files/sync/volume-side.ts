import { localFile } from '../../../core/failure.ts';
import { collectBytes } from '../../../core/files/byte-streams.ts';
import type { VolumeFile, VolumeFiles } from '../../../core/ports/volume-files.ts';
import { addressText } from '../places/address.ts';
import { UPLOADS } from '../places/uploads-folder.ts';
import { changedMeanwhile } from '../copy/local-side.ts';
import { byName, MAX_RULES_BYTES, type Side, type SideFile } from '../copy/sides.ts';

/** A folder of a volume as a side of a sync. `root` is its key: empty, or with a slash at the end. */
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
      const prefix = `${root}${folder}`;
      const { files, folders } = await volume.folder(prefix);
      return [
        ...files.map(fileOf),
        ...folders
          .filter((key) => key !== UPLOADS)
          .map((key) => ({ kind: 'folder', name: key.slice(prefix.length, -1) }) as const),
      ].sort(byName);
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
      // A file that another program wrote since the listing stays, also one with the same content.
      if (now.version !== seen.file.version || isLater(now, seen.file)) throw changedMeanwhile(shown(path));
      await volume.remove(seen.key);
    },
    // What a volume does with the key of a folder in which files are is not known.
    removeEmptyFolder: () => Promise.resolve(),
    end: (path) => ({ kind: 'volume', name, volume, key: `${root}${path}` }),
    shown,
  };
}

/** Whether a file was written after it was listed. HEAD has seconds where a listing has milliseconds. */
const isLater = (now: VolumeFile, seen: VolumeFile): boolean =>
  now.modifiedAt !== undefined && seen.modifiedAt !== undefined && now.modifiedAt >= seen.modifiedAt + 1000;

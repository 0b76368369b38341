import { localFile } from '../../../core/failure.ts';
import { collectBytes } from '../../../core/files/byte-streams.ts';
import type { VolumeEntry, VolumeFile, VolumeFiles } from '../../../core/ports/volume-files.ts';
import { addressText } from '../places/file-address.ts';
import { UPLOADS } from '../places/uploads-folder.ts';
import { changedMeanwhile } from './local-side.ts';
import { mapItems } from '../../../core/files/external-sort.ts';
import { MAX_RULES_BYTES, orderOfName, type Side, type SideFile } from './sides.ts';

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

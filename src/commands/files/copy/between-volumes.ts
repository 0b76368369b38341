import { localFile } from '../../../core/failure.ts';
import type { FileSource, VolumeFile, VolumeFiles } from '../../../core/ports/volume-files.ts';

/**
 * Copies a file of a volume to a volume, through this machine, unless it is there with the same content. Returns whether it was
 * the same.
 */
export async function copyBetweenVolumes(
  from: { readonly volume: VolumeFiles; readonly file: VolumeFile },
  to: { readonly volume: VolumeFiles; readonly key: string },
  onBytes: (bytes: number) => void,
): Promise<boolean> {
  const { volume, file } = from;
  const there = await to.volume.find(to.key);
  if (there?.bytes === file.bytes && there.version === file.version) return true;
  const source: FileSource = {
    bytes: file.bytes,
    replaces: there?.version,
    read: (start, end) => volume.read(file, start, end),
    check: async () => {
      if ((await volume.find(file.key))?.version !== file.version)
        throw localFile(`${file.key} was changed on the volume while it was read`, 'Run it again.');
    },
  };
  await to.volume.write(to.key, source, onBytes);
  return false;
}

import { localFile } from '../../../../core/failure.ts';
import type { WasThere } from './was-there.ts';
import type { FileSource, VolumeFile, VolumeFiles } from '../../../../core/ports/volume-files.ts';

/**
 * Copies a file of a volume to a volume, unless it is there with the same content: within one volume at the service where it can
 * prove the copy, else through this machine. Returns what was there.
 */
export async function copyBetweenVolumes(
  from: { readonly volume: VolumeFiles; readonly file: VolumeFile },
  to: { readonly volume: VolumeFiles; readonly key: string },
  onBytes: (bytes: number) => void,
): Promise<WasThere> {
  const { volume, file } = from;
  const there = await to.volume.find(to.key);
  if (there?.bytes === file.bytes && there.version === file.version) return 'same';
  const before = there === undefined ? 'nothing' : 'other';
  // The ETag of a file in parts is another one after a copy: it would prove nothing.
  if (volume.id === to.volume.id && volume.proofOf(file).kind === 'whole') {
    await volume.copy(file, to.key, there?.version);
    onBytes(file.bytes);
    return before;
  }
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
  return before;
}

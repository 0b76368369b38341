import type { RangeFiles } from '../../../../core/context.ts';
import { localFile } from '../../../../core/failure.ts';
import { rangeOf } from '../../../shared/paths/range-of.ts';
import type { WasThere } from './was-there.ts';
import type { FileSource, VolumeFiles } from '../../../../core/ports/volume-files.ts';

/** A regular file of this machine. */
export interface LocalFile {
  readonly path: string;
  readonly bytes: number;
  readonly version: string;
}

/**
 * Writes a file of this machine to a volume, unless it is there with the same content; with `isNew` it is known that nothing is
 * there. A file that changes while it is read
 * fails, and is tried once more. Returns what was there.
 */
export async function upload(
  durable: RangeFiles,
  volume: VolumeFiles,
  file: LocalFile,
  { key, isNew = false }: { readonly key: string; readonly isNew?: boolean | undefined },
  onBytes: (bytes: number) => void,
): Promise<WasThere> {
  let current = file;
  for (let isLast = false; ; isLast = true) {
    const { path, version, bytes } = current;
    const check = async (): Promise<void> => {
      if ((await durable.describe(path))?.version !== version)
        throw localFile(`${path} changed while it was read`, 'Copy it when nothing writes to it.');
    };
    const source = { bytes, check, ...contentOf(durable, path) };
    try {
      const there = isNew && !isLast ? undefined : await volume.find(key);
      const isSame = there !== undefined && (await volume.isSame(there, source));
      if (!isSame) await volume.write(key, { ...source, replaces: there?.version }, onBytes);
      // What was compared or sent must be what the file is now: a later sync goes by size and time.
      await check();
      return isSame ? 'same' : there === undefined ? 'nothing' : 'other';
    } catch (error) {
      const found = await durable.describe(path);
      if (found === undefined || found.version === version || isLast) throw error;
      current = { path, ...found };
    }
  }
}

/** The content of a file, to be read in ranges. */
export const contentOf = (durable: RangeFiles, path: string): Pick<FileSource, 'read' | 'digests'> => ({
  read: (start, end) => rangeOf(durable, path, start, end),
  digests: (start, end, names) => durable.digests(path, start, end, names),
});

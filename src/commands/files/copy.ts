import { rangeOf } from './file-address.ts';
import type { RangeFiles } from '../../core/context.ts';
import { type Failure, localFile } from '../../core/failure.ts';
import type { FileSource, VolumeFile, VolumeFiles } from '../../core/file-ports.ts';

export type End =
  | { readonly kind: 'volume'; readonly name: string; readonly volume: VolumeFiles; readonly key: string }
  | { readonly kind: 'local'; readonly path: string };

export interface Copy {
  readonly from:
    | (End & { readonly kind: 'volume'; readonly file: VolumeFile })
    | (End & { readonly kind: 'local'; readonly file: LocalFile });
  readonly to: End;
  readonly isNew?: boolean;
  readonly path?: string;
  readonly refused: Failure | undefined;
}

export interface LocalFile {
  readonly path: string;
  readonly bytes: number;
  readonly version: string;
}

/** Skips equal content; `isNew`: nothing is there. A file changed while read is tried once more. */
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
      // The file must still be what was sent: a later sync goes by size and time.
      await check();
      return isSame ? 'same' : there === undefined ? 'nothing' : 'other';
    } catch (error) {
      const found = await durable.describe(path);
      if (found === undefined || found.version === version || isLast) throw error;
      current = { path, ...found };
    }
  }
}

export const contentOf = (durable: RangeFiles, path: string): Pick<FileSource, 'read' | 'digests'> => ({
  read: (start, end) => rangeOf(durable, path, start, end),
  digests: (start, end, names) => durable.digests(path, start, end, names),
});

/** `same`: nothing was sent. */
export type WasThere = 'nothing' | 'other' | 'same';

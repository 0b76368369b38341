import { rangeOf } from './file-address.ts';
import type { RangeFiles } from '../../core/context.ts';
import { Failure, localFile } from '../../core/failure.ts';
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

/** Skips equal content; `isNew`: nothing is there. A file that grows is sent as it was at the start. */
export async function upload(
  durable: RangeFiles,
  volume: VolumeFiles,
  { path, version, bytes }: LocalFile,
  { key, isNew = false }: { readonly key: string; readonly isNew?: boolean | undefined },
  { onBytes, onGrown }: CopyEvents,
): Promise<WasThere> {
  const changed = (how: string) => localFile(`${path} ${how} while it was read`, 'Copy it when nothing writes to it.');
  const hasGrown = async (): Promise<boolean> => {
    const now = await durable.describe(path);
    if (now?.version === version) return false;
    if (now !== undefined && now.bytes > bytes) return true;
    throw changed(now !== undefined && now.bytes < bytes ? 'became shorter' : 'changed');
  };
  const source = { bytes, check: () => hasGrown().then(() => undefined), ...contentOf(durable, path) };
  try {
    const there = isNew ? undefined : await volume.find(key);
    const isSame = there !== undefined && (await volume.isSame(there, source));
    const written = isSame ? there : await volume.write(key, { ...source, replaces: there?.version }, onBytes);
    if (await hasGrown()) {
      // What was sent must still be its beginning: it may have been written anew.
      if (!(await volume.isSame(written, source))) throw changed('changed');
      await onGrown();
    }
    return isSame ? 'same' : there === undefined ? 'nothing' : 'other';
  } catch (error) {
    // Names the cause of what came of it.
    if (error instanceof Failure) await hasGrown();
    throw error;
  }
}

export interface CopyEvents {
  readonly onBytes: (bytes: number) => void;
  readonly onGrown: () => Promise<void>;
}

export const contentOf = (durable: RangeFiles, path: string): Pick<FileSource, 'read' | 'digests'> => ({
  read: (start, end) => rangeOf(durable, path, start, end),
  digests: (start, end, names) => durable.digests(path, start, end, names),
});

/** `same`: nothing was sent. */
export type WasThere = 'nothing' | 'other' | 'same';

import { createSorter, mapItems, type Sorter } from '../../../core/files/external-sort.ts';
import type { RangeFiles } from '../../../core/context.ts';
import type { VolumeFile, VolumeFiles } from '../../../core/ports/volume-files.ts';
import type { Bytes } from '../../../core/unit-types.ts';
import type { Copy, End } from './copy.ts';
import { badName } from './plan.ts';
import type { LocalFile } from './transfer/upload.ts';

/** Copies that were planned, without being held in memory. */
export interface PlannedCopies {
  readonly files: number;
  /** Of those that are not refused. */
  readonly bytes: Bytes;
  /** All of them, in the order in which they were planned. They can be read again. */
  copies(): AsyncIterable<Copy>;
  close(): Promise<void>;
}

/** A place as it is kept: a volume by its word. */
type Kept<F> =
  | ({ readonly kind: 'volume'; readonly name: string; readonly key: string } & F)
  | ({ readonly kind: 'local'; readonly path: string } & F);

interface KeptCopy {
  readonly at: number;
  readonly from: Kept<{ readonly file: VolumeFile | LocalFile }>;
  readonly to: Kept<object>;
  readonly isNew: boolean | undefined;
  readonly path: string | undefined;
  readonly refused: string | undefined;
}

/** Plans all copies before the first of them begins, and counts what they have. Fails as the planning does. */
export async function keepCopies(files: RangeFiles, planned: AsyncIterable<Copy>): Promise<PlannedCopies> {
  const volumes = new Map<string, VolumeFiles>();
  const keep = (end: End): Kept<object> => {
    if (end.kind === 'local') return { kind: 'local', path: end.path };
    volumes.set(end.name, end.volume);
    return { kind: 'volume', name: end.name, key: end.key };
  };
  const revive = <F extends object>(kept: Kept<F>): End & F => {
    if (kept.kind === 'local') return kept;
    const volume = volumes.get(kept.name);
    if (volume === undefined) throw new Error(`${kept.name} was not kept`);
    return { ...kept, volume };
  };
  const sorter: Sorter<KeptCopy> = createSorter(files, ({ at }) => String(at).padStart(12, '0'));
  let [count, bytes] = [0, 0];
  try {
    for await (const { from, to, isNew, path, refused } of planned) {
      const kept = { ...keep(from), file: from.file } as KeptCopy['from'];
      await sorter.add([{ at: count, from: kept, to: keep(to), isNew, path, refused: refused?.message }]);
      count += 1;
      if (refused === undefined) bytes += from.file.bytes;
    }
  } catch (error) {
    await sorter.close();
    throw error;
  }
  return {
    files: count,
    bytes,
    copies: () =>
      mapItems(sorter.sorted(true), ({ from, to, isNew, path, refused }): Copy => ({
        from: revive(from) as Copy['from'],
        to: revive(to),
        ...(isNew === undefined ? {} : { isNew }),
        ...(path === undefined ? {} : { path }),
        refused: refused === undefined ? undefined : badName(refused),
      })),
    close: () => sorter.close(),
  };
}

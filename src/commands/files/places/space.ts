import type { Bytes } from '../../../core/unit-types.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { berth, sentence } from '../../../core/message.ts';
import { formatBytes } from '../../../core/units.ts';
import type { VolumeFiles } from '../../../core/ports/volume-files.ts';
import { monthlyCost } from '../../shared/rate/volume-price.ts';
import { filesBelow, type OpenedVolume } from './open-volume.ts';
import { UPLOADS } from './uploads-folder.ts';

const GB = 1_000_000_000;

/** The part of a volume from which on it is listed before a write, to see what is free. */
const LARGE_PART = 0.1;

/** What a write needs on a volume. */
export interface Need {
  readonly bytes: Bytes;
  /** What is written, for a message: `3 files`. */
  readonly what: string;
  /** Finds out which files that are on the volume may be replaced: their space is free then. */
  readonly replaced: () => Promise<(key: string) => boolean>;
}

/** What the files of a volume have that are not replaced. */
async function usedBytes(files: VolumeFiles, isReplaced: (key: string) => boolean): Promise<Bytes> {
  let used = 0;
  for await (const { key, bytes } of filesBelow(files, ''))
    if (!isReplaced(key) && !key.startsWith(UPLOADS)) used += bytes;
  return used;
}

/**
 * Refuses (5) files that cannot fit on a volume, before any is sent. How much of a volume is used only a listing of all of it says:
 * that is read where they need more than a tenth of it, and else only its size is compared.
 */
export async function refuseWhatDoesNotFit(volume: OpenedVolume, { bytes, what, replaced }: Need): Promise<void> {
  const { word, sizeGb, type, files } = volume;
  if (sizeGb === undefined || bytes <= sizeGb * GB * LARGE_PART) return;
  let used = 0;
  // Where they do not fit on an empty volume, nothing has to be read.
  if (bytes <= sizeGb * GB) {
    used = await usedBytes(files, () => false);
    if (used + bytes <= sizeGb * GB) return;
    used = await usedBytes(files, await replaced());
  }
  const missing = used + bytes - sizeGb * GB;
  if (missing <= 0) return;
  const needed = Math.ceil((used + bytes) / GB);
  const has =
    used === 0
      ? `it has ${String(sizeGb)} GB in all`
      : `${formatBytes(Math.max(0, sizeGb * GB - used))} of its ${String(sizeGb)} GB are free`;
  throw new Failure({
    code: 'no-space',
    exit: EXIT.refused,
    message: `${what} cannot fit on the volume ${word}: ${formatBytes(bytes)}, and ${has}; ${formatBytes(missing)} are missing`,
    hint: sentence`A volume of ${String(needed)} GB costs ${monthlyCost(needed, type)}, this one ${monthlyCost(sizeGb, type)}. It can grow, and never shrinks: ${berth`volumes update ${word} --size ${String(needed)}`}`,
  });
}

import { monthlyCost } from '../../cli/money/hourly-cost.ts';
import { filesBelow, type OpenedVolume } from './file-address.ts';
import { UPLOADS } from './sides.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import type { VolumeFiles } from '../../core/file-ports.ts';
import { berth, sentence } from '../../core/message.ts';
import type { Bytes } from '../../core/unit-types.ts';
import { formatBytes } from '../../core/units.ts';

const GB = 1_000_000_000;

/** A write of at least this part lists the volume first, to see what is free. */
const LARGE_PART = 0.1;

export interface Need {
  readonly bytes: Bytes;
  readonly what: string;
  /** Replaced files free their space. */
  readonly replaced: () => Promise<(key: string) => boolean>;
}

async function usedBytes(files: VolumeFiles, isReplaced: (key: string) => boolean): Promise<Bytes> {
  let used = 0;
  for await (const { key, bytes } of filesBelow(files, ''))
    if (!isReplaced(key) && !key.startsWith(UPLOADS)) used += bytes;
  return used;
}

/** Refused (5) before sending. Only a full listing shows usage: done above a tenth of the volume. */
export async function refuseWhatDoesNotFit(volume: OpenedVolume, { bytes, what, replaced }: Need): Promise<void> {
  const { word, sizeGb, type, files } = volume;
  if (sizeGb === undefined || bytes <= sizeGb * GB * LARGE_PART) return;
  let used = 0;
  // If they do not fit on an empty volume, nothing has to be read.
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

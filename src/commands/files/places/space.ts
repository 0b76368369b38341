import type { Bytes } from '../../../core/unit-types.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure } from '../../../core/failure.ts';
import { berth, sentence } from '../../../core/message.ts';
import { formatBytes } from '../../../core/units.ts';
import { monthlyCost } from '../../shared/rate/volume-price.ts';
import type { OpenedVolume } from './open-volume.ts';

const GB = 1_000_000_000;

/**
 * The failure (5) of files that cannot be on a volume even if it had nothing else; undefined where they may fit. How much of a
 * volume is used only a listing of all of it says, so a volume may be full all the same.
 */
export function doesNotFit({ word, sizeGb, type }: OpenedVolume, bytes: Bytes, what: string): Failure | undefined {
  if (sizeGb === undefined || bytes <= sizeGb * GB) return undefined;
  const needed = Math.ceil(bytes / GB);
  return new Failure({
    code: 'no-space',
    exit: EXIT.refused,
    message: `${what} cannot fit on the volume ${word}: ${formatBytes(bytes)}, and it has ${String(sizeGb)} GB in all; ${formatBytes(bytes - sizeGb * GB)} are missing`,
    hint: sentence`A volume of ${String(needed)} GB costs ${monthlyCost(needed, type)}, this one ${monthlyCost(sizeGb, type)}. It can grow, and never shrinks: ${berth`volumes update ${word} --size ${String(needed)}`}`,
  });
}

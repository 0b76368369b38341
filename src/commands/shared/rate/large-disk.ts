/** Container disks: they are paid besides the hardware, at prices that are not published. */
import { numberAt, type Json } from '../../../core/json.ts';

/** GB of a new pod whose body and template name none: the contract has no default, and refuses it (additions 3). */
export const DISK_GB = 20;

/** The size in GB of a container disk that is larger than the one that a create of a pod gives by default. */
export function largeDisk(body: Json): number | undefined {
  const size = numberAt(body, 'disk');
  return size !== undefined && size > DISK_GB ? size : undefined;
}

/**
 * `Its container disk (2000 GB) is paid too, at a price that is not published.` Undefined for a disk of the usual size. `each` is
 * what has such a disk, where several have one.
 */
export function largeDiskLine(body: Json, each?: 'pod' | 'worker'): string | undefined {
  const size = largeDisk(body);
  if (size === undefined) return undefined;
  const whose = each === undefined ? 'Its container disk' : `The container disk of each ${each}`;
  return `${whose} (${size} GB) is paid too, at a price that is not published.`;
}

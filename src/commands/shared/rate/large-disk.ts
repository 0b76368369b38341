/** Container disks: they are paid besides the hardware, at prices that are not published. */
import { countOf } from '../../../cli/words/words.ts';
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

/** `largeDiskLine` of one pod; of several, `The container disks of 2 pods (700 GB) are paid too, ...`. */
export function largeDisksLine(pods: readonly Json[]): string | undefined {
  const sizes = pods.flatMap((pod) => largeDisk(pod) ?? []);
  const [only] = pods;
  if (pods.length === 1 && only !== undefined) return largeDiskLine(only);
  if (sizes.length === 0) return undefined;
  const [disks, are] = sizes.length === 1 ? ['disk', 'is'] : ['disks', 'are'];
  const size = sizes.reduce((sum, each) => sum + each, 0);
  return `The container ${disks} of ${countOf(sizes.length, 'pod')} (${size} GB) ${are} paid too, at a price that is not published.`;
}

/** The disks of a pod that runs: they are paid besides its hardware, at prices that are not published. */
import { memberAt, numberAt, type Json } from '../../../core/json.ts';
import { DISK_GB } from './fields.ts';

/** The size in GB of a container disk that is larger than the one that a create gives by default. */
function largeDisk(pod: Json): number | undefined {
  const size = numberAt(pod, 'disk');
  return size !== undefined && size > DISK_GB ? size : undefined;
}

const hasMount = (pod: Json): boolean => (memberAt(pod, 'mounts.persistent') ?? null) !== null;

/** `Its container disk (2000 GB) is paid too, at a price that is not published.` Undefined for a disk of the usual size. */
export function largeDiskLine(pod: Json): string | undefined {
  const size = largeDisk(pod);
  return size === undefined
    ? undefined
    : `Its container disk (${size} GB) is paid too, at a price that is not published.`;
}

/** `plus its container disk at a price that is not published`, or both of its disks: what a sum of a pod leaves out. */
export const unpricedDisks = (pod: Json): string =>
  hasMount(pod)
    ? 'plus its container disk and its persistent mount at prices that are not published'
    : 'plus its container disk at a price that is not published';

/** ` and its container disk and its persistent mount`, after the price of an hour; empty where neither is to be named. */
export const andDisks = (pod: Json): string =>
  [
    largeDisk(pod) === undefined ? '' : ' and its container disk',
    hasMount(pod) ? ' and its persistent mount' : '',
  ].join('');

/** The disks of a pod that runs: they are paid besides its hardware, at prices that are not published. */
import { memberAt, type Json } from '../../../core/json.ts';
import { largeDisk } from '../../shared/rate/large-disk.ts';

const hasMount = (pod: Json): boolean => (memberAt(pod, 'mounts.persistent') ?? null) !== null;

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

/** The same of several pods, where one has such a disk. */
export function andDisksOf(pods: readonly Json[]): string {
  const [first = '', ...others] = pods.map(andDisks);
  if (others.length === 0) return first;
  return [first, ...others].some((disks) => disks !== '') ? ' and their disks' : '';
}

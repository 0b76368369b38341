/** Whether a pod can be reached: RUNNING says only that its container was started (additions 6). */
import {
  arrayAt,
  itemsAt,
  memberAt,
  numberAt,
  objectAt,
  objectOf,
  stringAt,
  stringsOf,
  type Json,
} from '../../../core/json.ts';
import { text } from '../../../output/cells/cell-functions.ts';

/** The word of `--for` for a pod whose ports and SSH are there. */
export const REACHABLE = 'reachable';

export const statusOf = (pod: Json): string => stringAt(pod, 'status') ?? '?';

/** Whether a pod has a status, or is reachable. */
export const isAt = (pod: Json, wanted: string): boolean =>
  wanted === REACHABLE ? statusOf(pod) === 'RUNNING' && isReachable(pod) : statusOf(pod) === wanted;

/** The status of a pod, and that it cannot be reached yet where it will be. */
export const describeReach = (pod: Json): string =>
  statusOf(pod) === 'RUNNING' && !isReachable(pod) ? 'RUNNING, not reachable yet' : statusOf(pod);

/**
 * Whether every port of a RUNNING pod that is published has its address, and SSH where the pod offers it. An older service
 * sends neither `runtime` nor `ssh`: nothing more is known there.
 */
export function isReachable(pod: Json): boolean {
  const ports = stringsOf(memberAt(pod, 'ports'));
  if (ports.length === 0) return true;
  return hasAddresses(pod, ports) && hasDirectSsh(pod, ports);
}

function hasAddresses(pod: Json, ports: readonly string[]): boolean {
  if (memberAt(pod, 'runtime') === undefined) return true;
  if (objectAt(pod, 'runtime') === undefined) return false;
  // A port of type http is proxied, and has no address of its own.
  const mapped = itemsAt(pod, 'runtime.ports')
    .filter((port) => publicAddress(port) !== undefined)
    .map((port) => `${text('private')(port)}/${text('type')(port)}`);
  return ports.filter((port) => !port.endsWith('/http')).every((port) => mapped.includes(port));
}

/** SSH goes directly to a pod that publishes its port and takes SSH at all, which its proxy address shows. */
function hasDirectSsh(pod: Json, ports: readonly string[]): boolean {
  const ssh = objectAt(pod, 'ssh');
  if (ssh === undefined || !ports.includes('22/tcp') || objectOf(ssh['proxy']) === undefined) return true;
  return ssh['direct'] === undefined || directSsh(pod) !== undefined;
}

/** Whether a pod has neither GPU nor CPU, though its row is complete: a stopped pod may come back without its GPU. */
export const lacksHardware = (pod: Json): boolean =>
  memberAt(pod, 'cloud') !== undefined && objectAt(pod, 'gpu') === undefined && objectAt(pod, 'cpu') === undefined;

/** The direct SSH address of a pod; undefined where it has none that can be reached. */
export function directSsh(pod: Json): Json | undefined {
  const direct = objectAt(pod, 'ssh.direct');
  return direct === undefined || isCarrierAddress(stringAt(direct, 'host')) ? undefined : direct;
}

/** `203.0.113.7:10022` of a port; undefined where nobody outside can reach it: see `isCarrierAddress`. */
export function publicAddress(port: Json): string | undefined {
  const ip = stringAt(port, 'ip');
  if (numberAt(port, 'public') === undefined || stringAt(port, 'type') === 'http' || isCarrierAddress(ip))
    return undefined;
  return `${ip ?? '-'}:${text('public')(port)}`;
}

/** Whether an address is in 100.64.0.0/10, which is private to the service (additions 6). */
const isCarrierAddress = (address: string | undefined): boolean =>
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(address ?? '');

/** What is said of a pod that nothing can reach, because it publishes no port. */
export const unpublishedNotes = (pod: Json): readonly string[] =>
  statusOf(pod) === 'RUNNING' && arrayAt(pod, 'ports')?.length === 0 && objectAt(pod, 'ssh.proxy') === undefined
    ? ['It publishes no port and takes no SSH: RUNNING is all there is to wait for.']
    : [];

/** RUNNING means only that the container was started (additions 6). */

import { itemsAt, type Json, memberAt, numberAt, objectAt, objectOf, stringAt, stringsOf } from '../../core/json.ts';
import { text } from '../../output/cells.ts';

export const REACHABLE = 'reachable';

export const statusOf = (pod: Json): string => stringAt(pod, 'status') ?? '?';

export const isAt = (pod: Json, wanted: string): boolean =>
  wanted === REACHABLE ? statusOf(pod) === 'RUNNING' && isReachable(pod) : statusOf(pod) === wanted;

export const describeReach = (pod: Json): string =>
  statusOf(pod) === 'RUNNING' && !isReachable(pod) ? 'RUNNING, not reachable yet' : statusOf(pod);

/** All published ports and offered SSH have addresses. Older services send neither `runtime` nor `ssh`. */
export function isReachable(pod: Json): boolean {
  const ports = stringsOf(memberAt(pod, 'ports'));
  if (ports.length === 0) return true;
  return hasAddresses(pod, ports) && hasDirectSsh(pod, ports);
}

function hasAddresses(pod: Json, ports: readonly string[]): boolean {
  if (memberAt(pod, 'runtime') === undefined) return true;
  if (objectAt(pod, 'runtime') === undefined) return false;
  // Ports of type http are proxied and have no address.
  const mapped = itemsAt(pod, 'runtime.ports')
    .filter((port) => publicAddress(port) !== undefined)
    .map((port) => `${text(port, 'private')}/${text(port, 'type')}`);
  return ports.filter((port) => !port.endsWith('/http')).every((port) => mapped.includes(port));
}

/** Direct SSH needs a published port and SSH support, which a proxy address indicates. */
function hasDirectSsh(pod: Json, ports: readonly string[]): boolean {
  const ssh = objectAt(pod, 'ssh');
  if (ssh === undefined || !ports.includes('22/tcp') || objectOf(ssh['proxy']) === undefined) return true;
  return ssh['direct'] === undefined || directSsh(pod) !== undefined;
}

/** A complete row without GPU and CPU: a stopped pod may come back without its GPU. */
export const lacksHardware = (pod: Json): boolean =>
  memberAt(pod, 'cloud') !== undefined && objectAt(pod, 'gpu') === undefined && objectAt(pod, 'cpu') === undefined;

export function directSsh(pod: Json): Json | undefined {
  const direct = objectAt(pod, 'ssh.direct');
  return direct === undefined || isCarrierAddress(stringAt(direct, 'host')) ? undefined : direct;
}

/** `203.0.113.7:10022`; undefined if unreachable from outside, see `isCarrierAddress`. */
export function publicAddress(port: Json): string | undefined {
  const ip = stringAt(port, 'ip');
  if (numberAt(port, 'public') === undefined || stringAt(port, 'type') === 'http' || isCarrierAddress(ip))
    return undefined;
  return `${ip ?? '-'}:${text(port, 'public')}`;
}

/** 100.64.0.0/10 is private to the service (additions 6). */
const isCarrierAddress = (address: string | undefined): boolean =>
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(address ?? '');

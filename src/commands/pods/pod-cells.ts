/** How the fields of a pod are shown that take more than their own value. */

import { directSsh, publicAddress } from './reachable.ts';
import { usage } from '../../core/failure.ts';
import {
  arrayOf,
  isObject,
  itemsAt,
  type Json,
  type JsonObject,
  memberAt,
  numberOf,
  objectAt,
  objectOf,
} from '../../core/json.ts';
import { formatDuration, formatTimestamp } from '../../core/units.ts';
import { deadlinesOf, deadlineText, nextDeadline, SOON_MS } from '../../guard/deadline.ts';
import { money, percent, seconds, text, yesNo } from '../../output/cells.ts';
import type { Facts, Section, Shown } from '../../output/view.ts';

type Lines = Section['lines'];

/** `GPU-24G x2`, or `cpu-general 4 vCPU 16 GB` (specification 2.2). */
export function hardware(row: Json): Shown {
  const gpu = objectAt(row, 'gpu');
  if (gpu !== undefined) {
    const count = numberOf(gpu['count']) ?? 1;
    return `${text(gpu, 'id')}${count === 1 ? '' : ` x${count}`}`;
  }
  const cpu = objectAt(row, 'cpu');
  return cpu === undefined ? undefined : [text(cpu, 'id'), ...size(cpu)].join(' ');
}

/** Over all GPUs of the pod (additions 8); empty from an older service. */
function size(machine: Json): readonly string[] {
  const [count, memory] = [text(machine, 'vcpuCount'), text(machine, 'memory')];
  return [...(count === '' ? [] : [`${count} vCPU`]), ...(memory === '' ? [] : [`${memory} GB`])];
}

export function hardwareLines(row: Json): Lines {
  const gpu = objectAt(row, 'gpu');
  const machine = gpu === undefined ? [] : size(gpu);
  return [
    { label: objectAt(row, 'cpu') === undefined ? 'gpu' : 'cpu', value: hardware(row) },
    { label: 'machine', value: machine.join(' ') },
  ];
}

export const machineVcpus = (row: Json): Shown => text(machineOf(row), 'vcpuCount');
export const machineMemory = (row: Json): Shown => text(machineOf(row), 'memory');

const machineOf = (row: Json): Json => objectAt(row, 'gpu') ?? objectAt(row, 'cpu') ?? {};

export function hourlyCost(row: Json): Lines {
  const cost = money(row, 'cost');
  return [{ label: 'cost', value: cost && `${cost}/h` }];
}

export const locked = (row: Json): Shown =>
  memberAt(row, 'locked') === true ? { text: 'yes', tone: 'warn' } : undefined;

/** The first deadline to expire; undefined if none counts. */
export function deadline(row: Json, { now }: Facts): Shown {
  const next = nextDeadline(row);
  if (next === undefined) return undefined;
  return { text: deadlineText(next, now), tone: next.at <= now ? 'bad' : next.at <= now + SOON_MS ? 'warn' : 'plain' };
}

/** Deadlines have an effect only while a guard runs. */
export const deadlineLines = (row: Json, { now }: Facts): Lines =>
  deadlinesOf(row).map(({ action, given, at }) => {
    const label = `${action} after`;
    if (at === undefined) return { label, value: given };
    const span = formatDuration(Math.abs(at - now));
    const when = at <= now ? `overdue by ${span}` : `in ${span}, when a guard runs`;
    return { label, value: { text: `${formatTimestamp(at)} (${when})`, tone: at <= now ? 'bad' : 'plain' } };
  });

/** Null unless RUNNING; every member is optional (specification 2.2, PodRuntime). */
export function runtimeLines(row: Json): Lines {
  const live = objectAt(row, 'runtime');
  if (live === undefined) return [];
  const gpus = arrayOf(live['gpus']) ?? [];
  return [
    { label: 'uptime', value: seconds(live, 'uptime') },
    ...gpus.flatMap((gpu, at) => [
      { label: `gpu ${at}`, value: percent(gpu, 'util') },
      { label: `gpu ${at} memory`, value: percent(gpu, 'memoryUtil') },
    ]),
    { label: 'cpu', value: percent(live, 'cpu.util') },
    { label: 'memory', value: percent(live, 'memory.util') },
    { label: 'open ports', value: itemsAt(row, 'runtime.ports').map(openPort) },
  ];
}

function openPort(port: Json): string {
  const inside = `${text(port, 'private')}/${text(port, 'type')}`;
  const outside = publicAddress(port);
  return outside === undefined ? inside : `${outside} -> ${inside}`;
}

/** At most one kind of mount (specification 2.3). */
export function mountLines(row: Json): Lines {
  const persistent = objectAt(row, 'mounts.persistent');
  const networks = itemsAt(row, 'mounts.network');
  const lines = networks.map((mount) => ({
    label: 'network volume',
    value: `${text(mount, 'volumeId')} at ${text(mount, 'path')}`,
  }));
  if (persistent !== undefined)
    lines.push({ label: 'persistent', value: `${text(persistent, 'size')} GB at ${text(persistent, 'path')}` });
  return lines;
}

export function globalNetwork(row: Json): Shown {
  if (memberAt(row, 'globalNetworking.enabled') !== true) return yesNo(row, 'globalNetworking.enabled');
  return [text(row, 'globalNetworking.ip'), text(row, 'globalNetworking.internalDns')];
}

/** The proxy gives a shell only (contract rules, Pods: ssh). */
export const sshLines = (row: Json): Lines => [
  { label: 'ssh', value: directSsh(row) === undefined ? '' : text(row, 'ssh.direct.command') },
  { label: 'ssh by proxy', value: text(row, 'ssh.proxy.command') },
];

/** Used unless the user names a path (specification 2.4). */
const DEFAULT_PATH = '/workspace';

/** `VOLUME` or `VOLUME:/PATH`. Without a path, keeps the body's. */
export function networkMount(given: string, before: Json | undefined): Json {
  const at = given.indexOf(':/');
  const volumeId = at < 0 ? given : given.slice(0, at);
  const path = at < 0 ? (memberAt(before, '0.path') ?? DEFAULT_PATH) : given.slice(at + 1);
  return [{ volumeId, path }];
}

/** Size in GB. */
export const newPersistentMount = (size: number, before: Json | undefined): Json => ({
  path: DEFAULT_PATH,
  ...objectOf(before),
  size,
});

/** Size in GB. */
export const resizedMount = (size: number, before: Json | undefined): Json => ({ ...objectOf(before), size });

/** Usage (2) if the body has no mount. */
export function movedMount(path: string, before: Json | undefined): Json {
  const mounts = withPath(objectOf(before) ?? {}, path);
  if (mounts === undefined)
    throw usage('--mount-path needs something to mount', 'Name it with --network-volume or --persistent-size.');
  return mounts;
}

export function withPath(mounts: JsonObject, path: string): JsonObject | undefined {
  const network = memberAt(mounts, 'network.0');
  if (isObject(network)) return { ...mounts, network: [{ ...network, path }] };
  const persistent = objectOf(mounts['persistent']);
  return persistent === undefined ? undefined : { ...mounts, persistent: { ...persistent, path } };
}

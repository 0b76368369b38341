/** How the fields of a pod are shown that take more than their own value. */
import { arrayOf, itemsAt, type Json, memberAt, numberOf, objectAt } from '../../../core/json.ts';
import { duration, list, money, percent, text, yesNo } from '../../../output/cells/cell-functions.ts';
import { formatTimestamp } from '../../../core/text/timestamp.ts';
import { formatDuration } from '../../../core/units.ts';
import { deadlinesOf, deadlineText, nextDeadline, SOON_MS, waitingDeadline } from '../../../guard/deadline.ts';
import type { Facts, Section, Shown } from '../../../output/view.ts';
import { directSsh, publicAddress } from './reachable.ts';

type Lines = Section['lines'];

/** `GPU-24G x2`, or `cpu-general 4 vCPU 16 GB` (specification 2.2). */
export function hardware(row: Json): Shown {
  const gpu = objectAt(row, 'gpu');
  if (gpu !== undefined) {
    const count = numberOf(gpu['count']) ?? 1;
    return `${text('id')(gpu)}${count === 1 ? '' : ` x${count}`}`;
  }
  const cpu = objectAt(row, 'cpu');
  return cpu === undefined ? undefined : [text('id')(cpu), ...size(cpu)].join(' ');
}

/** What a machine gives a pod over all its GPUs (additions 8): `16 vCPU`, `62.5 GB`; nothing from an older service. */
const size = (machine: Json): readonly string[] => [
  ...[text('vcpuCount')(machine)].filter((each) => each !== '').map((count) => `${count} vCPU`),
  ...[text('memory')(machine)].filter((each) => each !== '').map((memory) => `${memory} GB`),
];

export function hardwareLines(row: Json): Lines {
  const gpu = objectAt(row, 'gpu');
  const machine = gpu === undefined ? [] : size(gpu);
  return [
    { label: objectAt(row, 'cpu') === undefined ? 'gpu' : 'cpu', value: hardware(row) },
    ...(machine.length === 0 ? [] : [{ label: 'machine', value: machine.join(' ') }]),
  ];
}

/** A column of what the machine gives, of GPU and CPU pods. */
export const ofMachine =
  (member: 'vcpuCount' | 'memory') =>
  (row: Json): Shown =>
    text(member)(objectAt(row, 'gpu') ?? objectAt(row, 'cpu') ?? {});

/** `$0.79 an hour`. */
export function hourlyCost(row: Json): Lines {
  const cost = money('cost')(row);
  return [{ label: 'cost', value: cost === '' ? undefined : `${cost} an hour` }];
}

/** `yes` for a locked pod, which is rare; a dash for others. */
export const locked = (row: Json): Shown =>
  memberAt(row, 'locked') === true ? { text: 'yes', tone: 'warn' } : undefined;

/** The deadline that is over first; undefined where none counts, now or once the pod runs. */
export function deadline(row: Json, { now }: Facts): Shown {
  const next = nextDeadline(row);
  if (next === undefined) {
    const waiting = waitingDeadline(row);
    return waiting && `${waiting.action} after ${waiting.given} once it runs`;
  }
  return { text: deadlineText(next, now), tone: next.at <= now ? 'bad' : next.at <= now + SOON_MS ? 'warn' : 'plain' };
}

/** Each deadline with its time. Nothing keeps it but a guard that runs. */
export const deadlineLines = (row: Json, { now }: Facts): Lines =>
  deadlinesOf(row).map(({ action, given, at, isUnreadable, isWaiting }) => ({
    label: `${action} after`,
    value: isUnreadable
      ? { text: `${given} (not a duration or a time: never kept)`, tone: 'warn' as const }
      : at === undefined
        ? `${given}${isWaiting ? ', counted from when it runs' : ''}`
        : at <= now
          ? { text: `${formatTimestamp(at)} (overdue by ${formatDuration(now - at)})`, tone: 'bad' as const }
          : `${formatTimestamp(at)} (in ${formatDuration(at - now)}, when a guard runs)`,
  }));

export const actions = (row: Json): Shown => list('actions')(row).join(', ');

/** Live metrics (specification 2.2, PodRuntime): null unless the pod is RUNNING, every member optional. */
export function runtimeLines(row: Json): Lines {
  const live = objectAt(row, 'runtime');
  if (live === undefined) return [{ label: 'uptime', value: undefined }];
  const gpus = arrayOf(live['gpus']) ?? [];
  return [
    { label: 'uptime', value: duration('uptime', 's')(live) },
    ...gpus.flatMap((gpu, at) => [
      { label: `gpu ${at}`, value: percent('util')(gpu) },
      { label: `gpu ${at} memory`, value: percent('memoryUtil')(gpu) },
    ]),
    { label: 'cpu', value: percent('cpu.util')(live) },
    { label: 'memory', value: percent('memory.util')(live) },
    { label: 'open ports', value: openPorts(row) },
  ];
}

/** The published ports of a running pod: `1.2.3.4:10022 -> 22/tcp`. */
export const openPorts = (row: Json): readonly string[] => itemsAt(row, 'runtime.ports').map(openPort);

/** `1.2.3.4:10022 -> 22/tcp`; a port without a public address shows its private side alone. */
function openPort(port: Json): string {
  const inside = `${text('private')(port)}/${text('type')(port)}`;
  const outside = publicAddress(port);
  return outside === undefined ? inside : `${outside} -> ${inside}`;
}

/** A pod has at most one kind of mount (specification 2.3). */
export function mountLines(row: Json): Lines {
  const persistent = objectAt(row, 'mounts.persistent');
  const networks = itemsAt(row, 'mounts.network');
  const lines = networks.map((mount) => ({
    label: 'network volume',
    value: `${text('volumeId')(mount)} at ${text('path')(mount)}`,
  }));
  if (persistent !== undefined)
    lines.push({ label: 'persistent', value: `${text('size')(persistent)} GB at ${text('path')(persistent)}` });
  return lines.length > 0 ? lines : [{ label: 'none', value: '' }];
}

/** The pod's private address and name, where global networking is on. */
export function globalNetwork(row: Json): Shown {
  if (memberAt(row, 'globalNetworking.enabled') !== true) return yesNo('globalNetworking.enabled')(row);
  return [text('globalNetworking.ip')(row), text('globalNetworking.internalDns')(row)];
}

/** The direct command and the one through the proxy, which gives a shell only (contract rules, Pods: ssh). */
export function sshLines(row: Json): Lines {
  const lines = [
    { label: 'ssh', value: directSsh(row) === undefined ? '' : text('ssh.direct.command')(row) },
    { label: 'ssh by proxy', value: text('ssh.proxy.command')(row) },
  ].filter(({ value }) => value !== '');
  return lines.length > 0 ? lines : [{ label: 'ssh', value: undefined }];
}

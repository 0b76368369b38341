import { arrayOf, isObject, memberAt, numberOf, objectOf, stringOf, type Json } from '../../core/json.ts';
import { age, duration, list, money, percent, status, text, yesNo } from '../../output/layout/cells.ts';
import { containerSection } from '../shared/container.ts';
import { otherMembers } from '../../cli/resource/detail-lines.ts';
import type { Section, Shown, View } from '../../output/view.ts';

const uptime = duration('runtime.uptime', 's');

export const podView: View = {
  noun: ['pod', 'pods'],
  id: (row) => stringOf(memberAt(row, 'id')) ?? '',
  members: [
    ...'id name status actions image args disk ports env registry mounts gpu cpu cloud dataCenterId'.split(' '),
    ...'cudaVersion template cost locked cluster globalNetworking ssh runtime createdAt startedAt'.split(' '),
  ],
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'NAME', show: text('name') },
    { header: 'STATUS', show: status('status'), whole: true },
    { header: 'HARDWARE', show: hardware, yields: true },
    { header: 'COST/HR', show: money('cost'), right: true },
    { header: 'DATA CENTER', show: text('dataCenterId'), yields: true },
    { header: 'AGE', show: age('createdAt'), right: true },
    { header: 'UPTIME', show: uptime, right: true, wide: true },
    { header: 'CLOUD', show: text('cloud'), wide: true },
    { header: 'IMAGE', show: text('image'), wide: true },
  ],
  detail: (row, facts) => [
    {
      lines: [
        { label: 'id', value: text('id')(row) },
        { label: 'name', value: text('name')(row) },
        { label: 'status', value: status('status')(row) },
        { label: 'actions', value: list('actions')(row).join(', ') },
        { label: 'cost', value: perHour(row) },
        { label: 'created', value: text('createdAt')(row) + ago(age('createdAt')(row, facts)) },
        { label: 'started', value: text('startedAt')(row) },
        { label: 'locked', value: yesNo('locked')(row) },
        { label: 'template', value: text('template')(row) },
      ],
    },
    {
      title: 'hardware',
      lines: [
        { label: isObject(memberAt(row, 'cpu')) ? 'cpu' : 'gpu', value: hardware(row) },
        { label: 'cloud', value: text('cloud')(row) },
        { label: 'data center', value: text('dataCenterId')(row) },
        { label: 'cuda', value: text('cudaVersion')(row) },
      ],
    },
    runtime(row),
    containerSection(row),
    { title: 'mounts', lines: mounts(row) },
    network(row),
    ...cluster(row),
    ...others(row),
  ],
};

/** The members of the published Pod; anything else is shown at the end as it came. */
const KNOWN =
  'id name status actions image args disk ports env registry mounts gpu cpu cloud dataCenterId template cost locked globalNetworking runtime createdAt startedAt ssh cudaVersion cluster'.split(
    ' ',
  );

/** The same for what lies within these members (specification 2.2 and 2.3). */
const KNOWN_WITHIN: Readonly<Record<string, readonly string[]>> = {
  gpu: ['id', 'count'],
  cpu: ['id', 'vcpuCount', 'memory'],
  runtime: ['uptime', 'gpus', 'cpu', 'memory', 'ports'],
  mounts: ['persistent', 'network'],
  globalNetworking: ['enabled', 'ip', 'internalDns'],
};

/** `GPU-24G x2`, or `cpu-general 4 vCPU 16 GB` (specification 2.2). */
function hardware(row: Json): Shown {
  const gpu = objectOf(memberAt(row, 'gpu'));
  if (gpu !== undefined) {
    const count = numberOf(gpu['count']) ?? 1;
    return `${text('id')(gpu)}${count === 1 ? '' : ` x${String(count)}`}`;
  }
  const cpu = objectOf(memberAt(row, 'cpu'));
  if (cpu === undefined) return undefined;
  return `${text('id')(cpu)} ${text('vcpuCount')(cpu)} vCPU ${text('memory')(cpu)} GB`;
}

const perHour = (row: Json): Shown => {
  const cost = money('cost')(row);
  return cost === '' ? undefined : `${cost} an hour`;
};

const ago = (shown: string): string => (shown === '' ? '' : ` (${shown} ago)`);

/** Live metrics (specification 2.2, PodRuntime): null unless the pod is RUNNING, every member optional. */
function runtime(row: Json): Section {
  const live = objectOf(memberAt(row, 'runtime'));
  if (live === undefined) return { title: 'runtime', lines: [{ label: 'uptime', value: undefined }] };
  const gpus = arrayOf(live['gpus']) ?? [];
  return {
    title: 'runtime',
    lines: [
      { label: 'uptime', value: uptime(row) },
      ...gpus.flatMap((gpu, at) => [
        { label: `gpu ${String(at)}`, value: percent('util')(gpu) },
        { label: `gpu ${String(at)} memory`, value: percent('memoryUtil')(gpu) },
      ]),
      { label: 'cpu', value: percent('cpu.util')(live) },
      { label: 'memory', value: percent('memory.util')(live) },
      { label: 'open ports', value: (arrayOf(live['ports']) ?? []).map(openPort) },
    ],
  };
}

/** `1.2.3.4:10022 -> 22/tcp`; a port without a public side shows its private one alone. */
function openPort(port: Json): string {
  const inside = `${text('private')(port)}/${text('type')(port)}`;
  const outside = memberAt(port, 'public');
  if (outside === null || outside === undefined) return inside;
  return `${stringOf(memberAt(port, 'ip')) ?? '-'}:${text('public')(port)} -> ${inside}`;
}

/** Specification 2.3: at most one of the two kinds. */
function mounts(row: Json): Section['lines'] {
  const persistent = objectOf(memberAt(row, 'mounts.persistent'));
  const networks = arrayOf(memberAt(row, 'mounts.network')) ?? [];
  const lines = networks.map((mount) => ({
    label: 'network volume',
    value: `${text('volumeId')(mount)} at ${text('path')(mount)}`,
  }));
  if (persistent !== undefined)
    lines.push({ label: 'persistent', value: `${text('size')(persistent)} GB at ${text('path')(persistent)}` });
  return lines.length > 0 ? lines : [{ label: 'none', value: '' }];
}

function network(row: Json): Section {
  const enabled = memberAt(row, 'globalNetworking.enabled') === true;
  return {
    title: 'network',
    lines: [
      {
        label: 'global',
        value: enabled
          ? [text('globalNetworking.ip')(row), text('globalNetworking.internalDns')(row)]
          : yesNo('globalNetworking.enabled')(row),
      },
      ...sshLines(row),
    ],
  };
}

/** Both ways in; the proxy gives a shell and nothing else (contract rules, Pods: ssh). */
function sshLines(row: Json): Section['lines'] {
  const lines = [
    { label: 'ssh', value: text('ssh.direct.command')(row) },
    { label: 'ssh by proxy', value: text('ssh.proxy.command')(row) },
  ].filter(({ value }) => value !== '');
  return lines.length > 0 ? lines : [{ label: 'ssh', value: undefined }];
}

const cluster = (row: Json): readonly Section[] =>
  isObject(memberAt(row, 'cluster'))
    ? [
        {
          title: 'cluster',
          lines: ['id', 'rank', 'role', 'ip'].map((label) => ({ label, value: text(`cluster.${label}`)(row) })),
        },
      ]
    : [];

function others(row: Json): readonly Section[] {
  const within = Object.entries(KNOWN_WITHIN).flatMap(([member, known]) =>
    otherMembers(memberAt(row, member) ?? null, known).map((line) => ({ ...line, label: `${member}.${line.label}` })),
  );
  const lines = [...otherMembers(row, KNOWN), ...within];
  return lines.length === 0 ? [] : [{ title: 'other', lines }];
}

/** What a person should know of this pod beside its fields (specification 2.2: deprecated). */
export const podNotes = (row: Json): readonly string[] =>
  isObject(memberAt(row, 'mounts.persistent'))
    ? [
        'This pod uses a persistent mount, which is deprecated: its data does not survive a failure of the host. New pods take a network volume.',
      ]
    : [];

import { arrayOf, isObject, memberAt, objectOf, stringOf, type Json } from '../../core/json.ts';
import { age, duration, json, list, text } from '../../output/layout/cells.ts';

import type { Facts, Section, Shown, View } from '../../output/view.ts';
import { containerSection } from '../shared/container.ts';
import { otherMembers, memberLabel } from '../../cli/resource/detail-lines.ts';

/** `0 to 3`: how far workers scale. */
function workers(row: Json): Shown {
  const [min, max] = [text('workers.min')(row), text('workers.max')(row)];
  return min === max ? min : `${min} to ${max}`;
}

/** `4 s delay`, `5 requests`: what makes workers grow, in words that are long or short. */
const scaling =
  (delay: string, requests: string) =>
  (row: Json): Shown => {
    const type = stringOf(memberAt(row, 'scaling.type'));
    if (type === 'QUEUE_DELAY') return `${text('scaling.queueDelay')(row)} s ${delay}`;
    if (type === 'REQUEST_COUNT') return `${text('scaling.requestCount')(row)} ${requests}`;
    return json('scaling')(row);
  };

/** `POOL-24G, POOL-48G x2`, or a line for each CPU flavor. */
function hardware(row: Json): Shown {
  if (!isObject(memberAt(row, 'gpu'))) return (arrayOf(memberAt(row, 'cpu')) ?? []).map(cpu);
  const count = text('gpu.count')(row);
  return list('gpu.pools')(row).join(', ') + (count === '' || count === '1' ? '' : ` x${count}`);
}

function cpu(item: Json): string {
  const memory = text('memory')(item);
  return `${text('id')(item)} ${text('vcpuCount')(item)} vCPU${memory === '' ? '' : ` ${memory} GB`}`;
}

export const endpointView: View = {
  noun: ['endpoint', 'endpoints'],
  id: (row) => stringOf(memberAt(row, 'id')) ?? '',
  members: [
    ...'id name type image args disk ports env registry gpu cpu'.split(' '),
    ...'dataCenterIds networkVolumes flashboot requestUrls workers scaling timeout createdAt'.split(' '),
  ],
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'NAME', show: text('name') },
    { header: 'TYPE', show: text('type') },
    { header: 'WORKERS', show: workers },
    { header: 'SCALING', show: scaling('delay', 'requests') },
    { header: 'AGE', show: age('createdAt'), right: true },
    { header: 'HARDWARE', show: hardware, wide: true },
    { header: 'IMAGE', show: text('image'), wide: true },
  ],
  detail: (row, facts) => [
    {
      lines: [
        { label: 'id', value: text('id')(row) },
        { label: 'name', value: text('name')(row) },
        { label: 'type', value: text('type')(row) },
        { label: 'created', value: created(row, facts) },
        { label: 'flashboot', value: text('flashboot')(row) },
        { label: 'execution timeout', value: duration('timeout', 'ms')(row) },
      ],
    },
    {
      title: 'workers',
      lines: [
        { label: 'count', value: workers(row) },
        { label: 'idle timeout', value: duration('workers.idleTimeout', 's')(row) },
        { label: 'scaling', value: scaling('queue delay', 'requests a worker')(row) },
      ],
    },
    hardwareSection(row),
    {
      title: 'places',
      lines: [
        { label: 'data centers', value: list('dataCenterIds')(row) },
        { label: 'network volumes', value: list('networkVolumes')(row) },
      ],
    },
    containerSection(row),
    requests(row),
    ...others(row),
  ],
};

function created(row: Json, facts: Facts): string {
  const shown = age('createdAt')(row, facts);
  return text('createdAt')(row) + (shown === '' ? '' : ` (${shown} ago)`);
}

function hardwareSection(row: Json): Section {
  const gpu = objectOf(memberAt(row, 'gpu'));
  if (gpu === undefined) return { title: 'hardware', lines: [{ label: 'cpu', value: hardware(row) }] };
  return {
    title: 'hardware',
    lines: [
      { label: 'gpu pools', value: list('pools')(gpu) },
      { label: 'excluded types', value: list('excludedTypes')(gpu) },
      { label: 'gpus a worker', value: text('count')(gpu) },
      { label: 'cuda', value: cuda(gpu) },
    ],
  };
}

function cuda(gpu: Json): Shown {
  const least = text('minCudaVersion')(gpu);
  return least === '' ? list('allowedCudaVersions')(gpu) : `${least} or newer`;
}

/** Where requests go: the members that the two types of endpoint have, and any other. */
const requests = (row: Json): Section => ({
  title: 'requests',
  lines: Object.keys(objectOf(memberAt(row, 'requestUrls')) ?? {}).map((name) => ({
    label: memberLabel(name),
    value: text(`requestUrls.${name}`)(row),
  })),
});

/** The members of the published Endpoint; anything else is shown at the end as it came. */
const KNOWN =
  'id name type requestUrls gpu cpu workers scaling dataCenterIds networkVolumes timeout flashboot createdAt image args disk ports env registry'.split(
    ' ',
  );

const KNOWN_WITHIN: Readonly<Record<string, readonly string[]>> = {
  gpu: ['pools', 'excludedTypes', 'count', 'allowedCudaVersions', 'minCudaVersion'],
  workers: ['min', 'max', 'idleTimeout'],
};

function others(row: Json): readonly Section[] {
  const within = Object.entries(KNOWN_WITHIN).flatMap(([member, known]) =>
    otherMembers(memberAt(row, member) ?? null, known).map((line) => ({ ...line, label: `${member}.${line.label}` })),
  );
  const lines = [...otherMembers(row, KNOWN), ...within];
  return lines.length === 0 ? [] : [{ title: 'other', lines }];
}

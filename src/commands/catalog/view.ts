import { arrayOf, memberAt, stringOf, type Json } from '../../core/json.ts';
import { gigabytes, list, money, text, yesNo } from '../../output/layout/cells.ts';
import type { Cell, Column, Section, Shown, View } from '../../output/view.ts';
import { otherMembers, toned } from '../../cli/resource/detail-lines.ts';

const id = (row: Json): string => stringOf(memberAt(row, 'id')) ?? '';

const level = toned('availability', { HIGH: 'good', MEDIUM: 'good', LOW: 'warn', NONE: 'bad' });
const AVAILABILITY: Column = { header: 'AVAILABILITY', show: level };

type Lines = Section['lines'];

/** What a catalog entry says of its availability, where that was asked for: overall, then place by place. */
function availability(row: Json, members: Readonly<Record<string, string>>): Section {
  const overall: Lines = memberAt(row, 'availability') === undefined ? [] : [{ label: 'overall', value: level(row) }];
  const parts = Object.entries(members).flatMap(([member, label]): Lines => {
    const rows = arrayOf(memberAt(row, member));
    return rows === undefined ? [] : [{ label, value: rows.map(place) }];
  });
  return { title: 'availability', lines: [...overall, ...parts] };
}

/** `EU-NORTH-1 HIGH`, in the tone of its level; a CUDA version says yes or no. */
function place(row: Json): Cell {
  const version = text('version')(row);
  if (version !== '') return { text: `${version} ${yesNo('available')(row)}` };
  const { text: word, tone } = level(row);
  return { text: `${text('id')(row)} ${word}`, ...(tone === undefined ? {} : { tone }) };
}

/** The same in one cell of a table. */
const places =
  (member: string) =>
  (row: Json): Shown =>
    arrayOf(memberAt(row, member))
      ?.map((each) => place(each).text)
      .join(', ');

/** Each entry of a catalog in full: what it is, what it costs, where it can be had, and whatever else it says. */
const full =
  (
    lines: (row: Json) => Lines,
    price: (row: Json) => Lines,
    parts: Readonly<Record<string, string>>,
    known: readonly string[],
  ) =>
  (row: Json): readonly Section[] => [
    { lines: [{ label: 'id', value: text('id')(row) }, { label: 'name', value: text('name')(row) }, ...lines(row)] },
    { title: 'price an hour', lines: price(row) },
    availability(row, parts),
    { lines: otherMembers(row, ['id', 'name', 'price', 'availability', ...Object.keys(parts), ...known]) },
  ];

/** What a cloud asks for a GPU; nothing where it does not offer it, whatever its price says. */
const price =
  (cloudName: string) =>
  (row: Json): Shown =>
    memberAt(row, cloudName) === false ? undefined : money(`price.${cloudName}`)(row);

/** A view without what was not asked for. */
export const withoutAvailability = (view: View): View => ({
  ...view,
  columns: view.columns.filter((column) => column !== AVAILABILITY),
});

export const gpuView: View = {
  noun: ['GPU type', 'GPU types'],
  id,
  members: ['id', 'name', 'pool', 'manufacturer', 'memory', 'price', 'maxCount', 'secure', 'community'],
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'NAME', show: text('name') },
    { header: 'MEMORY', show: gigabytes('memory'), right: true },
    { header: 'SECURE/HR', show: price('secure'), right: true },
    { header: 'COMMUNITY/HR', show: price('community'), right: true, yields: true },
    AVAILABILITY,
    { header: 'POOL', show: text('pool'), wide: true },
    { header: 'SERVERLESS/HR', show: money('price.serverless'), right: true, wide: true },
    { header: 'MOST', show: text('maxCount.secure'), right: true, wide: true },
    { header: 'MAKER', show: text('manufacturer'), wide: true },
    { header: 'DATA CENTERS', show: places('dataCenters'), wide: true },
    { header: 'CUDA', show: places('cudaVersions'), wide: true },
  ],
  detail: full(
    (row) => [
      { label: 'maker', value: text('manufacturer')(row) },
      { label: 'memory', value: gigabytes('memory')(row) },
      { label: 'pool', value: text('pool')(row) },
      { label: 'secure cloud', value: cloud(row, 'secure') },
      { label: 'community cloud', value: cloud(row, 'community') },
    ],
    (row) => [
      { label: 'secure', value: price('secure')(row) },
      { label: 'community', value: price('community')(row) },
      { label: 'serverless', value: money('price.serverless')(row) },
    ],
    { dataCenters: 'data centers', cudaVersions: 'cuda' },
    ['manufacturer', 'memory', 'pool', 'secure', 'community', 'maxCount'],
  ),
};

/** `yes, up to 8 in one pod`. */
function cloud(row: Json, name: string): string {
  const offered = yesNo(name)(row);
  const most = text(`maxCount.${name}`)(row);
  return offered === 'yes' && most !== '' ? `yes, up to ${most} in one pod` : offered;
}

export const cpuView: View = {
  noun: ['CPU flavor', 'CPU flavors'],
  id,
  members: ['id', 'name', 'group', 'vcpu', 'ramGbPerVcpu', 'price'],
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'NAME', show: text('name') },
    { header: 'GROUP', show: text('group'), yields: true },
    { header: 'VCPU', show: vcpus },
    { header: 'GB/VCPU', show: text('ramGbPerVcpu'), right: true },
    { header: 'VCPU/HR', show: money('price.securePerVcpu'), right: true },
    AVAILABILITY,
    { header: 'SERVERLESS VCPU/HR', show: money('price.serverlessPerVcpu'), right: true, wide: true },
    { header: 'DATA CENTERS', show: places('dataCenters'), wide: true },
  ],
  detail: full(
    (row) => [
      { label: 'group', value: text('group')(row) },
      { label: 'vcpu', value: vcpus(row) },
      { label: 'memory a vcpu', value: gigabytes('ramGbPerVcpu')(row) },
    ],
    (row) => [
      { label: 'secure, a vcpu', value: money('price.securePerVcpu')(row) },
      { label: 'serverless, a vcpu', value: money('price.serverlessPerVcpu')(row) },
    ],
    { dataCenters: 'data centers' },
    ['group', 'vcpu', 'ramGbPerVcpu'],
  ),
};

function vcpus(row: Json): Shown {
  const [least, most] = [text('vcpu.min')(row), text('vcpu.max')(row)];
  return least === '' && most === '' ? undefined : `${least} to ${most}`;
}

const regionOf: Column = { header: 'REGION', show: text('region') };
const volumesOf: Column = { header: 'VOLUMES', show: list('networkVolumeTypes') };
const networkOf: Column = { header: 'GLOBAL NETWORK', show: yesNo('globalNetwork') };

export const dataCenterView: View = {
  noun: ['data center', 'data centers'],
  id,
  members: ['id', 'name', 'region', 'globalNetwork', 'networkVolumeTypes', 'compliance'],
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'NAME', show: text('name') },
    regionOf,
    volumesOf,
    networkOf,
    { header: 'COMPLIANCE', show: list('compliance'), wide: true },
  ],
  detail: (row) => [
    {
      lines: [
        { label: 'id', value: text('id')(row) },
        { label: 'name', value: text('name')(row) },
        { label: 'region', value: text('region')(row) },
        { label: 'volumes', value: list('networkVolumeTypes')(row) },
        { label: 'global network', value: yesNo('globalNetwork')(row) },
        { label: 'compliance', value: list('compliance')(row) },
      ],
    },
    availability(row, { gpuAvailability: 'gpus', cpuAvailability: 'cpus' }),
    {
      lines: otherMembers(
        row,
        'id name region networkVolumeTypes globalNetwork compliance gpuAvailability cpuAvailability'.split(' '),
      ),
    },
  ],
};

/** The same where it was asked what can be had there: that comes first, and what it is makes room. */
export const availableView: View = {
  ...dataCenterView,
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'GPUS', show: places('gpuAvailability') },
    { header: 'CPUS', show: places('cpuAvailability') },
    ...[regionOf, volumesOf, networkOf].map((column): Column => ({ ...column, wide: true })),
    { header: 'COMPLIANCE', show: list('compliance'), wide: true },
  ],
};

/** How the fields of catalog entries are shown that take more than their own value. */

import { defineTable, type Field, type Fields, viewOf } from '../../cli/resource/fields.ts';
import { arrayAt, type Json, memberAt } from '../../core/json.ts';
import { money, text, toned, yesNo } from '../../output/cells.ts';
import type { Cell, Section, Shown } from '../../output/view.ts';

type Lines = Section['lines'];

const availability = toned('availability', { HIGH: 'good', MEDIUM: 'good', LOW: 'warn', NONE: 'bad' });

const availabilityLines = (row: Json): Lines =>
  memberAt(row, 'availability') === undefined ? [] : [{ label: 'overall', value: availability(row) }];

const places =
  (member: string) =>
  (row: Json): Shown =>
    arrayAt(row, member)
      ?.map((each) => place(each).text)
      .join(', ');

const placeLines =
  (member: string, label: string) =>
  (row: Json): Lines => {
    const rows = arrayAt(row, member);
    return rows === undefined ? [] : [{ label, value: rows.map(place) }];
  };

function place(row: Json): Cell {
  const version = text('version')(row);
  if (version !== '') return { text: `${version} ${yesNo('available')(row)}` };
  const { text: word, tone } = availability(row);
  return { text: `${text('id')(row)} ${word}`, tone };
}

/** Empty where the cloud does not offer the GPU, even if the catalog has a price. */
const cloudPrice =
  (cloud: 'secure' | 'community') =>
  (row: Json): Shown =>
    memberAt(row, cloud) === false ? undefined : money(`price.${cloud}`)(row);

const cloud =
  (name: 'secure' | 'community') =>
  (row: Json): string => {
    const offered = yesNo(name)(row);
    const maximum = text(`maxCount.${name}`)(row);
    return offered === 'yes' && maximum !== '' ? `yes, up to ${maximum} in one pod` : offered;
  };

function vcpus(row: Json): Shown {
  const [minimum, maximum] = [text('vcpu.min')(row), text('vcpu.max')(row)];
  return minimum === '' && maximum === '' ? undefined : `${minimum} to ${maximum}`;
}

const placesField = (path: string, label: string): Field => ({
  path,
  type: 'objects',
  label,
  lines: placeLines(path, label),
  column: { show: places(path) },
});

const HARDWARE_FIELDS = {
  id: { path: 'id' },
  name: { path: 'name' },
  availability: {
    path: 'availability',
    values: ['HIGH', 'MEDIUM', 'LOW', 'NONE'],
    show: availability,
    lines: availabilityLines,
  },
  dataCenters: placesField('dataCenters', 'data centers'),
} as const satisfies Fields;

const GPU_FIELDS = {
  ...HARDWARE_FIELDS,
  pool: { path: 'pool' },
  manufacturer: { path: 'manufacturer', label: 'maker' },
  memory: { path: 'memory', type: 'gigabytes' },
  securePrice: {
    path: 'price.secure',
    type: 'dollars',
    show: cloudPrice('secure'),
    column: { header: 'SECURE/H' },
  },
  communityPrice: {
    path: 'price.community',
    type: 'dollars',
    show: cloudPrice('community'),
    column: { header: 'COMMUNITY/H', dropFirst: true },
  },
  serverlessPrice: { path: 'price.serverless', type: 'dollars', column: { header: 'SERVERLESS/H' } },
  maxCount: { path: 'maxCount.secure', type: 'count', column: { header: 'MOST' } },
  secure: { path: 'secure', type: 'flag', label: 'secure cloud', show: cloud('secure') },
  community: { path: 'community', type: 'flag', label: 'community cloud', show: cloud('community') },
  cudaVersions: placesField('cudaVersions', 'cuda'),
} as const satisfies Fields;

export const GPU_TABLE = defineTable({
  noun: ['GPU type', 'GPU types'],
  fields: GPU_FIELDS,
  table: ['id', 'name', 'memory', 'securePrice', 'communityPrice', 'availability'],
  wide: ['pool', 'serverlessPrice', 'maxCount', 'manufacturer', 'dataCenters', 'cudaVersions'],
  detail: [
    { fields: ['id', 'name', 'manufacturer', 'memory', 'pool', 'secure', 'community'] },
    { title: 'price an hour', fields: ['securePrice', 'communityPrice', 'serverlessPrice'] },
    { title: 'availability', fields: ['availability', 'dataCenters', 'cudaVersions'] },
  ],
  members: [
    ...['id', 'name', 'pool', 'manufacturer', 'memory', 'price', 'maxCount', 'secure', 'community'],
    ...['availability', 'dataCenters', 'cudaVersions'],
  ],
});

const CPU_FIELDS = {
  ...HARDWARE_FIELDS,
  group: { path: 'group', column: { dropFirst: true } },
  vcpu: { path: 'vcpu', type: 'object', show: vcpus },
  ramGbPerVcpu: {
    path: 'ramGbPerVcpu',
    type: 'gigabytes',
    label: 'memory a vcpu',
    column: { header: 'GB/VCPU', show: text('ramGbPerVcpu') },
  },
  securePrice: {
    path: 'price.securePerVcpu',
    type: 'dollars',
    label: 'secure, a vcpu',
    column: { header: 'VCPU/H' },
  },
  serverlessPrice: {
    path: 'price.serverlessPerVcpu',
    type: 'dollars',
    label: 'serverless, a vcpu',
    column: { header: 'SERVERLESS VCPU/H' },
  },
} as const satisfies Fields;

export const CPU_TABLE = defineTable({
  noun: ['CPU flavor', 'CPU flavors'],
  fields: CPU_FIELDS,
  table: ['id', 'name', 'group', 'vcpu', 'ramGbPerVcpu', 'securePrice', 'availability'],
  wide: ['serverlessPrice', 'dataCenters'],
  detail: [
    { fields: ['id', 'name', 'group', 'vcpu', 'ramGbPerVcpu'] },
    { title: 'price an hour', fields: ['securePrice', 'serverlessPrice'] },
    { title: 'availability', fields: ['availability', 'dataCenters'] },
  ],
  members: ['id', 'name', 'group', 'vcpu', 'ramGbPerVcpu', 'price', 'availability', 'dataCenters'],
});

const DATA_CENTER_FIELDS = {
  id: { path: 'id' },
  name: { path: 'name' },
  region: { path: 'region' },
  globalNetwork: { path: 'globalNetwork', type: 'flag' },
  volumes: { path: 'networkVolumeTypes', type: 'list', label: 'volumes' },
  compliance: { path: 'compliance', type: 'list' },
  gpus: placesField('gpuAvailability', 'gpus'),
  cpus: placesField('cpuAvailability', 'cpus'),
} as const satisfies Fields;

export const DATA_CENTER_TABLE = defineTable({
  noun: ['data center', 'data centers'],
  fields: DATA_CENTER_FIELDS,
  table: ['id', 'name', 'region', 'volumes', 'globalNetwork'],
  wide: ['compliance'],
  detail: [
    { fields: ['id', 'name', 'region', 'volumes', 'globalNetwork', 'compliance'] },
    { title: 'availability', fields: ['gpus', 'cpus'] },
  ],
  members: ['id', 'name', 'region', 'globalNetwork', 'networkVolumeTypes', 'compliance'],
});

/** The availability replaces the columns that describe the data center. */
export const availableDataCenterView = viewOf({
  ...DATA_CENTER_TABLE,
  table: ['id', 'gpus', 'cpus'],
  wide: ['region', 'volumes', 'globalNetwork', 'compliance'],
});

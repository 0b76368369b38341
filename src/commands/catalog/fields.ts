/** The fields of GPU types, CPU flavors and data centers. */
import { defineTable, type Field, type Fields } from '../../cli/resource/fields.ts';
import { itemsAt, type Json, memberAt } from '../../core/json.ts';
import { money, text, toned, yesNo } from '../../output/cells.ts';
import type { Cell, Shown } from '../../output/view.ts';

const availability = (row: Json): Cell =>
  toned(row, 'availability', { HIGH: 'good', MEDIUM: 'good', LOW: 'warn', NONE: 'bad' });

function place(row: Json): Cell {
  const version = text(row, 'version');
  if (version !== '') return { text: `${version} ${yesNo(row, 'available')}` };
  const { text: word, tone } = availability(row);
  return { text: `${text(row, 'id')} ${word}`, tone };
}

const places = (path: string, label: string): Field => {
  const show = (row: Json): readonly Cell[] => itemsAt(row, path).map(place);
  const joined = (row: Json): string =>
    show(row)
      .map(({ text: shown }) => shown)
      .join(', ');
  return { path, type: 'objects', label, show, column: { show: joined } };
};

/** Empty where the cloud does not offer the GPU, even if the catalog has a price. */
const cloudPrice =
  (cloud: 'secure' | 'community') =>
  (row: Json): Shown =>
    memberAt(row, cloud) === false ? undefined : money(row, `price.${cloud}`);

function vcpus(row: Json): Shown {
  const [least, most] = [text(row, 'vcpu.min'), text(row, 'vcpu.max')];
  return least === '' && most === '' ? undefined : `${least} to ${most}`;
}

const HARDWARE_FIELDS = {
  id: { path: 'id' },
  name: { path: 'name' },
  availability: {
    path: 'availability',
    values: ['HIGH', 'MEDIUM', 'LOW', 'NONE'],
    show: availability,
    lines: (row) => [{ label: 'overall', value: availability(row) }],
  },
  dataCenters: places('dataCenters', 'data centers'),
} as const satisfies Fields;

const GPU_FIELDS = {
  ...HARDWARE_FIELDS,
  pool: { path: 'pool' },
  manufacturer: { path: 'manufacturer', label: 'maker' },
  memory: { path: 'memory', type: 'gigabytes' },
  securePrice: { path: 'price.secure', type: 'dollars', show: cloudPrice('secure'), column: { header: 'SECURE/H' } },
  communityPrice: {
    path: 'price.community',
    type: 'dollars',
    show: cloudPrice('community'),
    column: { header: 'COMMUNITY/H', dropFirst: true },
  },
  serverlessPrice: { path: 'price.serverless', type: 'dollars', column: { header: 'SERVERLESS/H' } },
  maxCount: { path: 'maxCount.secure', type: 'count', label: 'most in one pod', column: { header: 'MOST' } },
  secure: { path: 'secure', type: 'flag', label: 'secure cloud' },
  community: { path: 'community', type: 'flag', label: 'community cloud' },
  cudaVersions: places('cudaVersions', 'cuda'),
} as const satisfies Fields;

export const GPU_TABLE = defineTable({
  noun: ['GPU type', 'GPU types'],
  fields: GPU_FIELDS,
  table: ['id', 'name', 'memory', 'securePrice', 'communityPrice', 'availability'],
  wide: ['pool', 'serverlessPrice', 'maxCount', 'manufacturer', 'dataCenters', 'cudaVersions'],
  detail: [
    { fields: ['id', 'name', 'manufacturer', 'memory', 'pool', 'secure', 'community', 'maxCount'] },
    { title: 'price an hour', fields: ['securePrice', 'communityPrice', 'serverlessPrice'] },
    { title: 'availability', fields: ['availability', 'dataCenters', 'cudaVersions'] },
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
    column: { header: 'GB/VCPU', show: (row) => text(row, 'ramGbPerVcpu') },
  },
  securePrice: { path: 'price.securePerVcpu', type: 'dollars', label: 'secure, a vcpu', column: { header: 'VCPU/H' } },
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
});

const DATA_CENTER_FIELDS = {
  id: { path: 'id' },
  name: { path: 'name' },
  region: { path: 'region' },
  globalNetwork: { path: 'globalNetwork', type: 'flag' },
  volumes: { path: 'networkVolumeTypes', type: 'list', label: 'volumes' },
  compliance: { path: 'compliance', type: 'list' },
  gpus: places('gpuAvailability', 'gpus'),
  cpus: places('cpuAvailability', 'cpus'),
} as const satisfies Fields;

export const DATA_CENTER_TABLE = defineTable({
  noun: ['data center', 'data centers'],
  fields: DATA_CENTER_FIELDS,
  table: ['id', 'name', 'region', 'volumes', 'globalNetwork', 'gpus', 'cpus'],
  wide: ['compliance'],
  detail: [
    { fields: ['id', 'name', 'region', 'volumes', 'globalNetwork', 'compliance'] },
    { title: 'availability', fields: ['gpus', 'cpus'] },
  ],
});

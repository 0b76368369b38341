import { arrayOf, memberAt, stringOf, type Json } from '../core/json.ts';
import { usage } from '../core/failure.ts';
import { defineCommand, defineGroup, type Command } from '../cli/command.ts';
import { arg, option, type Params, type ValuesOf } from '../cli/params.ts';
import { listRows, type Resource } from '../cli/resource/read.ts';
import { gigabytes, list, money, text, yesNo } from '../output/cells.ts';
import { toned } from './lines.ts';
import type { Column, Shown, View } from '../output/view.ts';

const id = (row: Json): string => stringOf(memberAt(row, 'id')) ?? '';

const AVAILABILITY: Column = {
  header: 'AVAILABILITY',
  show: toned('availability', { HIGH: 'good', MEDIUM: 'good', LOW: 'warn', NONE: 'bad' }),
};

const gpuView: View = {
  noun: ['GPU type', 'GPU types'],
  id,
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'NAME', show: text('name') },
    { header: 'MEMORY', show: gigabytes('memory'), right: true },
    { header: 'SECURE/HR', show: money('price.secure'), right: true },
    { header: 'COMMUNITY/HR', show: money('price.community'), right: true, yields: true },
    AVAILABILITY,
    { header: 'POOL', show: text('pool'), wide: true },
    { header: 'MOST', show: text('maxCount.secure'), right: true, wide: true },
    { header: 'DATA CENTERS', show: dataCenters, wide: true },
  ],
};

const cpuView: View = {
  noun: ['CPU flavor', 'CPU flavors'],
  id,
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'NAME', show: text('name') },
    { header: 'GROUP', show: text('group'), yields: true },
    { header: 'VCPU', show: (row) => `${text('vcpu.min')(row)} to ${text('vcpu.max')(row)}` },
    { header: 'GB/VCPU', show: text('ramGbPerVcpu'), right: true },
    { header: 'VCPU/HR', show: money('price.securePerVcpu'), right: true },
    AVAILABILITY,
    { header: 'DATA CENTERS', show: dataCenters, wide: true },
  ],
};

const dataCenterView: View = {
  noun: ['data center', 'data centers'],
  id,
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'NAME', show: text('name') },
    { header: 'REGION', show: text('region') },
    { header: 'VOLUMES', show: list('networkVolumeTypes') },
    { header: 'GLOBAL NETWORK', show: yesNo('globalNetwork') },
    { header: 'COMPLIANCE', show: list('compliance'), wide: true },
  ],
};

export const GPUS: Resource = { noun: 'GPU type', path: ['v2', 'catalog', 'gpus'], member: 'gpus', view: gpuView };
const CPUS: Resource = { noun: 'CPU flavor', path: ['v2', 'catalog', 'cpus'], member: 'cpus', view: cpuView };
export const DATA_CENTERS: Resource = {
  noun: 'data center',
  path: ['v2', 'catalog', 'datacenters'],
  member: 'dataCenters',
  view: dataCenterView,
};

/** Where it is available, best first as the service gives them. */
function dataCenters(row: Json): Shown {
  const rows = arrayOf(memberAt(row, 'dataCenters'));
  return rows === undefined
    ? undefined
    : rows.map((each) => `${text('id')(each)} ${text('availability')(each)}`).join(', ');
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** `catalog gpus [ID]`: the list, or one of it in full. */
function catalogCommand<const O extends Params>(
  resource: Resource,
  summary: string,
  options: O,
  query: (values: ValuesOf<O>) => Query,
): Command {
  return defineCommand({
    summary,
    args: { id: arg.optional(`one ${resource.noun}`) },
    options,
    run: async (ctx, values) => {
      const asked = query(values);
      const given = (values as { readonly id?: string }).id;
      if (given === undefined) {
        const rows = await listRows(ctx, resource, asked);
        return {
          kind: 'many',
          view: resource.view,
          values: rows.values,
          source: { text: rows.text, member: resource.member },
        };
      }
      const answer = await ctx.api.send({
        service: 'base',
        method: 'GET',
        path: [...resource.path, given],
        query: asked,
        id: given,
      });
      return { kind: 'one', view: resource.view, value: answer.value ?? null, source: answer.text };
    },
  });
}

interface Asked {
  readonly available: boolean;
  readonly product: readonly string[];
}

/** `include=AVAILABILITY` needs a product, and the filters need both (contract rules, Catalog): POD unless said. */
function availability(values: Asked, filters: Query): Query {
  const asked = Object.values(filters).some((value) => value !== undefined) || values.product.length > 0;
  if (asked && !values.available) throw usage('these filters ask about availability', 'Add --available.');
  if (!values.available) return {};
  return { include: 'AVAILABILITY', product: values.product.length > 0 ? values.product.join(',') : 'POD', ...filters };
}

const joined = (values: readonly string[]): string | undefined => (values.length === 0 ? undefined : values.join(','));

const available = option.on('ask what can be had now, and where');

const gpus = catalogCommand(
  GPUS,
  'list GPU types with their prices, or show one',
  {
    available,
    product: option.list('for these products (default POD)', { choices: ['POD', 'CLUSTER', 'SERVERLESS'] }),
    count: option.count('GPUs in one pod', 1),
    cloud: option.choice('only this cloud', ['SECURE', 'COMMUNITY']),
    country: option.list('only in these countries, by two-letter code'),
    cuda: option.list('with one of these CUDA versions'),
    minCuda: option.text('with this CUDA version or a newer one', { metavar: 'VERSION' }),
  },
  (values) => {
    if (values.cuda.length > 0 && values.minCuda !== undefined)
      throw usage('--cuda and --min-cuda exclude each other', 'Keep one of them.');
    return availability(values, {
      count: values.count,
      cloud: values.cloud,
      countryCodes: joined(values.country),
      cudaVersions: joined(values.cuda),
      minCudaVersion: values.minCuda,
    });
  },
);

const cpus = catalogCommand(
  CPUS,
  'list CPU flavors with their prices, or show one',
  {
    available,
    product: option.list('for these products (default POD)', { choices: ['POD', 'SERVERLESS'] }),
    vcpu: option.count('vCPUs in one pod', 2),
  },
  (values) => availability(values, { vcpuCount: values.vcpu }),
);

const datacenters = catalogCommand(DATA_CENTERS, 'list data centers, or show one', { available }, (values) =>
  values.available ? { include: 'GPU_AVAILABILITY,CPU_AVAILABILITY' } : {},
);

export const catalog = defineGroup('what can be rented: GPUs, CPUs, data centers', { gpus, cpus, datacenters });

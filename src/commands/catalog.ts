import type { Query } from '../cli/model/collection.ts';
import { type Command, type CommandWords, defineCommand, defineGroup, type WatchSpec } from '../cli/model/command.ts';
import { either, manyOf } from '../cli/model/output-schema.ts';
import { arg, dollarsOf, flagName, isGiven, option, type Params, type ValuesOf } from '../cli/model/params.ts';
import * as collections from '../cli/resource/collections.ts';
import { defineTable, type Field, type Fields } from '../cli/resource/fields.ts';
import { filteredRows, type ListFilter, listOptions } from '../cli/resource/noun.ts';
import { rowSchema } from '../cli/resource/arguments.ts';
import { rowRequest } from '../cli/resource/pages.ts';
import { type Resource, resource, withId } from '../cli/resource/targets.ts';
import { didYouMean } from '../cli/words.ts';
import { TEMPLATE_TABLE } from './templates.ts';
import { usage } from '../core/failure.ts';
import { arrayAt, type Json, memberAt, numberAt } from '../core/json.ts';
import { money, text, toned, yesNo } from '../output/cells.ts';
import { answerResult, type Cell, idOf, type Shown } from '../output/view.ts';

const availability = toned('availability', { HIGH: 'good', MEDIUM: 'good', LOW: 'warn', NONE: 'bad' });

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

function vcpus(row: Json): Shown {
  const [minimum, maximum] = [text('vcpu.min')(row), text('vcpu.max')(row)];
  return minimum === '' && maximum === '' ? undefined : `${minimum} to ${maximum}`;
}

const placesField = (path: string, label: string): Field => ({
  path,
  type: 'objects',
  label,
  lines: (row) => {
    const rows = arrayAt(row, path);
    return rows === undefined ? [] : [{ label, value: rows.map(place) }];
  },
  column: {
    show: (row) =>
      arrayAt(row, path)
        ?.map((each) => place(each).text)
        .join(', '),
  },
});

const HARDWARE_FIELDS = {
  id: { path: 'id' },
  name: { path: 'name' },
  availability: {
    path: 'availability',
    values: ['HIGH', 'MEDIUM', 'LOW', 'NONE'],
    show: availability,
    lines: (row) =>
      memberAt(row, 'availability') === undefined ? [] : [{ label: 'overall', value: availability(row) }],
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
  maxCount: { path: 'maxCount.secure', type: 'count', label: 'most in one pod', column: { header: 'MOST' } },
  secure: { path: 'secure', type: 'flag', label: 'secure cloud' },
  community: { path: 'community', type: 'flag', label: 'community cloud' },
  cudaVersions: placesField('cudaVersions', 'cuda'),
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
  table: ['id', 'name', 'region', 'volumes', 'globalNetwork', 'gpus', 'cpus'],
  wide: ['compliance'],
  detail: [
    { fields: ['id', 'name', 'region', 'volumes', 'globalNetwork', 'compliance'] },
    { title: 'availability', fields: ['gpus', 'cpus'] },
  ],
});

interface CatalogSpec<O extends Params> extends CommandWords {
  readonly options: O;
  readonly query: (values: ValuesOf<O>) => Query;
  /** For filters that the service does not have. */
  readonly keep?: (row: Json, values: ValuesOf<O>) => boolean;
  /** By all rows, before they are filtered: usage (2). */
  readonly check?: (values: ValuesOf<O>, rows: readonly Json[]) => void;
  readonly watch?: WatchSpec;
  readonly listOnly?: readonly (keyof O & string)[];
  /** Default: the path of the list. */
  readonly onePath?: readonly string[];
}

function catalogCommand<const O extends Params>(resource: Resource, spec: CatalogSpec<O>): Command {
  const { summary, details, options, query, listOnly = [], onePath = resource.path, examples } = spec;
  const ofEveryList = listOptions(resource.table);
  return defineCommand({
    summary,
    details,
    args: { id: arg.optional(`one ${resource.noun}, by id or name`, { complete: resource }) },
    options: { ...options, ...ofEveryList },
    fields: resource.view.paths,
    output: either(manyOf(rowSchema(resource)), rowSchema(resource)),
    examples,
    ...(spec.watch === undefined ? {} : { watch: spec.watch }),
    run: async (ctx, allValues) => {
      const values = allValues as unknown as ValuesOf<O>;
      const { id: given, ...filter } = allValues as unknown as ListFilter & { readonly id?: string };
      const asked = query(values);
      if (given === undefined) {
        const all: Json[] = [];
        const keep = (row: Json) => {
          all.push(row);
          return spec.keep?.(row, values) ?? true;
        };
        const result = await filteredRows(ctx, resource, filter, asked, keep);
        spec.check?.(values, all);
        return result;
      }
      const ofLists = [...listOnly, ...Object.keys(ofEveryList)];
      const filters = ofLists.filter((key) => isGiven((allValues as Readonly<Record<string, unknown>>)[key]));
      if (filters.length > 0)
        throw usage(
          `${filters.map(flagName).join(' and ')} filters the list, and ${given} is one of it`,
          'Leave one out.',
        );
      const answer = await withId(ctx, resource, given, (id) => ctx.api.send(rowRequest({ path: onePath }, id, asked)));
      return answerResult(resource.view, answer);
    },
  });
}

/** With commas (contract rules, Catalog). */
const joined = (values: readonly string[]): string | undefined => (values.length === 0 ? undefined : values.join(','));

/** `include=AVAILABILITY` needs a product (default POD); filters need both (contract rules, Catalog). */
const availabilityQuery = (product: readonly string[], filters: Query): Query => ({
  include: 'AVAILABILITY',
  product: joined(product) ?? 'POD',
  ...filters,
});

const available = option.on('only what can be had now');

/** An unknown word counts as yes, and so does none. */
const isAvailable = (row: Json): boolean => memberAt(row, 'availability') !== 'NONE';

/** US dollars an hour: of workers, or on the cloud that is asked for or on any. */
function isWithin(
  row: Json,
  most: number | undefined,
  {
    count = 1,
    cloud,
    product,
  }: { readonly count: number | undefined; readonly cloud: string | undefined; readonly product: readonly string[] },
): boolean {
  if (most === undefined) return true;
  const ofPods = cloud === undefined ? ['secure', 'community'] : [cloud.toLowerCase()];
  return (product.includes('SERVERLESS') ? ['serverless'] : ofPods).some((each) => {
    const price = numberAt(row, `price.${each}`) ?? 0;
    return price > 0 && price * count <= most;
  });
}

const GPUS = resource(collections.GPUS, GPU_TABLE);
const DATA_CENTERS = resource(collections.DATA_CENTERS, DATA_CENTER_TABLE);

const gpus = catalogCommand(GPUS, {
  summary: 'list GPU types with their prices and availability, or show one',
  details:
    'With --watch it looks until one of them can be had, rings the bell and ends; it buys nothing: berth pods create --until-available does.',
  keep: (row, values) =>
    (!values.available || isAvailable(row)) &&
    (values.gpu.length === 0 || values.gpu.includes(idOf(row))) &&
    isWithin(row, dollarsOf('maxPrice', values.maxPrice), values),
  check: ({ gpu }, rows) => {
    const unknown = gpu.find((id) => !rows.some((row) => idOf(row) === id));
    if (unknown === undefined) return;
    const ids = rows.map(idOf);
    throw usage(`there is no GPU type ${unknown}`, didYouMean(unknown, ids) ?? `One of ${ids.join(', ')}.`);
  },
  watch: { ended: (result) => result.kind === 'many' && result.values.some(isAvailable), bell: true },
  listOnly: ['available', 'gpu', 'maxPrice'],
  options: {
    available,
    gpu: option.list('only these GPU types', { metavar: 'GPU', complete: collections.GPUS }),
    maxPrice: option.text('only what costs at most this an hour, with --count GPUs', { metavar: 'DOLLARS' }),
    product: option.list('for these products (default POD)', { choices: ['POD', 'CLUSTER', 'SERVERLESS'] }),
    count: option.count('GPUs in one pod', 1),
    cloud: option.choice('only this cloud', collections.CLOUDS),
    country: option.list('only in these countries, by two-letter code'),
    cuda: option.list('with one of these CUDA versions'),
    minCuda: option.text('with this CUDA version or a newer one', { metavar: 'VERSION' }),
  },
  query: (values) => {
    if (values.cuda.length > 0 && values.minCuda !== undefined)
      throw usage('--cuda and --min-cuda exclude each other', 'Keep one of them.');
    return availabilityQuery(values.product, {
      count: values.count,
      cloud: values.cloud,
      countryCodes: joined(values.country.map((code) => code.toUpperCase())),
      cudaVersions: joined(values.cuda),
      minCudaVersion: values.minCuda,
    });
  },
  examples: [
    ['berth catalog gpus --available --count 4', 'where four in one pod can be had now'],
    ['berth catalog gpus --watch --interval 30s --gpu GPU-80G --max-price 2.50', 'until there is one at this price'],
    ['berth catalog gpus --sort securePrice', 'the cheapest first'],
  ],
});

const cpus = catalogCommand(resource(collections.CPUS, CPU_TABLE), {
  summary: 'list CPU flavors with their prices and availability, or show one',
  keep: (row, values) => !values.available || isAvailable(row),
  listOnly: ['available'],
  options: {
    available,
    product: option.list('for these products (default POD)', { choices: ['POD', 'SERVERLESS'] }),
    vcpu: option.count('vCPUs in one pod', 2),
  },
  query: (values) => availabilityQuery(values.product, { vcpuCount: values.vcpu }),
  examples: [
    ['berth catalog cpus --vcpu 8 --available', 'where 8 vCPUs in one pod can be had now'],
    ['berth catalog cpus cpu-general', 'one of them'],
  ],
});

const datacenters = catalogCommand(DATA_CENTERS, {
  summary: 'list data centers, or show one',
  options: {
    available: option.on('ask which GPUs and CPUs can be had there now'),
    region: option.list('only in these regions, such as EUROPE', { metavar: 'REGION' }),
    volumeType: option.list('only with one of these tiers of network volume', {
      choices: ['STANDARD', 'HIGH_PERFORMANCE'],
    }),
    compliance: option.list('only with one of these attestations, such as GDPR', { metavar: 'WORD' }),
    globalNetwork: option.on('only with global networking'),
  },
  listOnly: ['region', 'volumeType', 'compliance', 'globalNetwork'],
  query: (values) => ({
    include: values.available ? 'GPU_AVAILABILITY,CPU_AVAILABILITY' : undefined,
    regions: joined(values.region.map((region) => region.toUpperCase())),
    networkVolumeTypes: joined(values.volumeType),
    compliance: joined(values.compliance.map((word) => word.toUpperCase())),
    globalNetwork: values.globalNetwork ? true : undefined,
  }),
  examples: [['berth catalog datacenters --region EUROPE --compliance GDPR -o wide', 'where, with all they attest']],
});

const templates = catalogCommand(
  resource(
    {
      noun: 'public template',
      path: ['v2', 'catalog', 'templates'],
      member: 'templates',
      schema: 'Template',
      listed: 'catalog templates',
    },
    TEMPLATE_TABLE,
  ),
  {
    summary: 'list public templates, or show one',
    options: { source: option.choice('whose (default official)', ['official', 'verified', 'community']) },
    listOnly: ['source'],
    // The catalog has no path for one template; anyone can read a public one (contract rules, Templates).
    onePath: ['v2', 'templates'],
    query: ({ source }) => ({ source }),
    examples: [['berth catalog templates --source community', 'those that other accounts have published']],
  },
);

export const catalog = defineGroup('GPUs, CPUs, data centers and public templates', {
  gpus,
  cpus,
  datacenters,
  templates,
});

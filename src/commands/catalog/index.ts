import type { Query } from '../../cli/model/collection.ts';
import {
  type Command,
  type CommandWords,
  defineCommand,
  defineGroup,
  type WatchSpec,
} from '../../cli/model/command.ts';
import { either, manyOf } from '../../cli/model/output-schema.ts';
import { arg, flagName, isGiven, option, type Params, type ValuesOf } from '../../cli/model/params.ts';
import { rowSchema } from '../../cli/resource/arguments.ts';
import * as collections from '../../cli/resource/collections.ts';
import { filteredRows, type ListFilter, listOptions } from '../../cli/resource/noun.ts';
import { rowRequest } from '../../core/api.ts';
import { type Resource, resource, withId } from '../../cli/resource/targets.ts';
import { didYouMean } from '../../cli/words.ts';
import { TEMPLATE_TABLE } from '../templates.ts';
import { CPU_TABLE, DATA_CENTER_TABLE, GPU_TABLE } from './fields.ts';
import { usage } from '../../core/failure.ts';
import type { Id } from '../../core/ids.ts';
import { type Json, memberAt, numberAt } from '../../core/json.ts';
import { answerResult, idOf } from '../../output/view.ts';

interface CatalogSpec<O extends Params> extends CommandWords {
  readonly options: O;
  readonly query: (values: ValuesOf<O>) => Query;
  /** For filters that the service does not have. */
  readonly keep?: (values: ValuesOf<O>) => (row: Json) => boolean;
  /** By all rows, before they are filtered: usage (2). */
  readonly check?: (values: ValuesOf<O>, ids: readonly string[]) => void;
  /** Flags that make no sense for one. */
  readonly listOnly?: readonly (keyof O & string)[];
  /** Default: the path of the list. */
  readonly onePath?: readonly string[];
  readonly watch?: WatchSpec;
}

/** `berth catalog gpus [ID]`: all, or one. */
function catalogCommand<const O extends Params>(of: Resource, spec: CatalogSpec<O>): Command {
  const { query, keep, check, listOnly = [], onePath = of.path, ...shown } = spec;
  const ofEveryList = listOptions(of.table);
  return defineCommand({
    ...shown,
    args: { id: arg.optional(`one ${of.noun}, by id or name`, { complete: of }) },
    options: { ...spec.options, ...ofEveryList },
    fields: of.view.paths,
    output: () => either(manyOf(rowSchema(of)), rowSchema(of)),
    run: async (ctx, given) => {
      const values = given as unknown as ValuesOf<O>;
      const { id, ...filter } = given as unknown as ListFilter & { readonly id?: string };
      const asked = query(values);
      if (id === undefined) {
        const ids: string[] = [];
        const isKept = keep?.(values) ?? (() => true);
        const found = await filteredRows(ctx, of, filter, asked, (row) => {
          ids.push(idOf(row));
          return isKept(row);
        });
        check?.(values, ids);
        return found;
      }
      const filters = Object.entries(given).filter(
        ([key, value]) => (listOnly.includes(key) || key in ofEveryList) && isGiven(value),
      );
      if (filters.length > 0)
        throw usage(
          `${filters.map(([key]) => flagName(key)).join(' and ')} filters the list, and ${id} is one of it`,
          'Leave one out.',
        );
      const read = (known: Id) => ctx.api.send(rowRequest({ path: onePath }, known, asked));
      return answerResult(of.view, await withId(ctx, of, id, read));
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

const gpus = catalogCommand(resource(collections.GPUS, GPU_TABLE), {
  summary: 'list GPU types with their prices and availability, or show one',
  details:
    'With --watch it looks until one of them can be had, rings the bell and ends; it buys nothing: berth pods create --until-available does.',
  keep: ({ available: onlyAvailable, gpu, maxPrice: most, product, cloud, count = 1 }) => {
    const ofPods = cloud === undefined ? ['secure', 'community'] : [cloud.toLowerCase()];
    const prices = product.includes('SERVERLESS') ? ['serverless'] : ofPods;
    const costs = (row: Json) => prices.map((each) => (numberAt(row, `price.${each}`) ?? 0) * count);
    return (row) =>
      (!onlyAvailable || isAvailable(row)) &&
      (gpu.length === 0 || gpu.includes(idOf(row))) &&
      (most === undefined || costs(row).some((cost) => cost > 0 && cost <= most));
  },
  check: ({ gpu }, ids) => {
    const unknown = gpu.find((id) => !ids.includes(id));
    if (unknown !== undefined)
      throw usage(`there is no GPU type ${unknown}`, didYouMean(unknown, ids) ?? `One of ${ids.join(', ')}.`);
  },
  watch: { ended: (result) => result.kind === 'many' && result.values.some(isAvailable), bell: true },
  listOnly: ['available', 'gpu', 'maxPrice'],
  options: {
    available,
    gpu: option.list('only these GPU types', { metavar: 'GPU', complete: collections.GPUS }),
    maxPrice: option.dollars('only what costs at most this an hour, with --count GPUs'),
    product: option.list('for these products (default POD)', { choices: ['POD', 'CLUSTER', 'SERVERLESS'] }),
    count: option.count('GPUs in one pod', 1),
    cloud: option.choice('only this cloud', collections.CLOUDS),
    country: option.list('only in these countries, by two-letter code'),
    cuda: option.list('with one of these CUDA versions'),
    minCuda: option.text('with this CUDA version or a newer one', { metavar: 'VERSION' }),
  },
  query: ({ product, count, cloud, country, cuda, minCuda }) => {
    if (cuda.length > 0 && minCuda !== undefined)
      throw usage('--cuda and --min-cuda exclude each other', 'Keep one of them.');
    return availabilityQuery(product, {
      count,
      cloud,
      countryCodes: joined(country.map((code) => code.toUpperCase())),
      cudaVersions: joined(cuda),
      minCudaVersion: minCuda,
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
  keep: (values) => (row) => !values.available || isAvailable(row),
  listOnly: ['available'],
  options: {
    available,
    product: option.list('for these products (default POD)', { choices: ['POD', 'SERVERLESS'] }),
    vcpu: option.count('vCPUs in one pod', 2),
  },
  query: ({ product, vcpu }) => availabilityQuery(product, { vcpuCount: vcpu }),
  examples: [
    ['berth catalog cpus --vcpu 8 --available', 'where 8 vCPUs in one pod can be had now'],
    ['berth catalog cpus cpu-general', 'one of them'],
  ],
});

const datacenters = catalogCommand(resource(collections.DATA_CENTERS, DATA_CENTER_TABLE), {
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

const PUBLIC_TEMPLATES = {
  noun: 'public template',
  path: ['v2', 'catalog', 'templates'],
  member: 'templates',
  schema: 'Template',
  listed: 'catalog templates',
} as const;

const templates = catalogCommand(resource(PUBLIC_TEMPLATES, TEMPLATE_TABLE), {
  summary: 'list public templates, or show one',
  options: { source: option.choice('whose (default official)', ['official', 'verified', 'community']) },
  listOnly: ['source'],
  // The catalog has no path for one template; anyone can read a public one (contract rules, Templates).
  onePath: ['v2', 'templates'],
  query: ({ source }) => ({ source }),
  examples: [['berth catalog templates --source community', 'those that other accounts have published']],
});

export const catalog = defineGroup('GPUs, CPUs, data centers and public templates', {
  gpus,
  cpus,
  datacenters,
  templates,
});

import type { Query } from '../../cli/model/collection.ts';
import {
  type Command,
  type CommandWords,
  defineCommand,
  defineGroup,
  type WatchSpec,
} from '../../cli/model/command.ts';
import { either, manyOf } from '../../cli/model/output-schema.ts';
import { arg, dollarsOf, flagName, isGiven, option, type Params, type ValuesOf } from '../../cli/model/params.ts';
import * as collections from '../../cli/resource/collections.ts';
import { filteredRows, type ListFilter, listOptions } from '../../cli/resource/list.ts';
import { rowSchema } from '../../cli/resource/read.ts';
import { type Resource, resource, withId } from '../../cli/resource/targets.ts';
import { rowRequest } from '../../cli/resource/requests.ts';
import { nearestNames } from '../../cli/words.ts';
import { availableDataCenterView, CPU_TABLE, DATA_CENTER_TABLE, GPU_TABLE } from './fields.ts';
import { TEMPLATE_TABLE } from '../templates/fields.ts';
import { usage } from '../../core/failure.ts';
import { type Json, memberAt, numberAt } from '../../core/json.ts';
import { suggestionOf } from '../../core/text.ts';
import { answerResult, idOf, type View } from '../../output/view.ts';

interface CatalogSpec<O extends Params> extends CommandWords {
  readonly options: O;
  readonly query: (values: ValuesOf<O>) => Query;
  /** For filters that the service does not have. */
  readonly keep?: (row: Json, values: ValuesOf<O>) => boolean;
  readonly view?: (values: ValuesOf<O>) => View;
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
        const result = await filteredRows(ctx, resource, filter, { query: asked, keep });
        spec.check?.(values, all);
        return { ...result, view: spec.view?.(values) ?? resource.view };
      }
      const ofLists = [...listOnly, ...Object.keys(ofEveryList)];
      const filters = ofLists.filter((key) => isGiven((allValues as Readonly<Record<string, unknown>>)[key]));
      if (filters.length > 0)
        throw usage(
          `${filters.map(flagName).join(' and ')} filters the list, and ${given} is one of it`,
          'Leave one out.',
        );
      const answer = await withId(ctx, resource, given, (id) => ctx.api.send(rowRequest({ path: onePath }, id, asked)));
      return answerResult(spec.view?.(values) ?? resource.view, answer);
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

/** US dollars an hour, on the cloud that is asked for or on any. */
function isWithin(
  row: Json,
  most: number | undefined,
  { count = 1, cloud }: { readonly count: number | undefined; readonly cloud: string | undefined },
): boolean {
  if (most === undefined) return true;
  const clouds = cloud === undefined ? ['secure', 'community'] : [cloud.toLowerCase()];
  return clouds.some((each) => {
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
    const near = suggestionOf(nearestNames(unknown, ids));
    throw usage(`there is no GPU type ${unknown}`, near ?? `One of ${ids.join(', ')}.`);
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
  view: ({ available: asked }) => (asked ? availableDataCenterView : DATA_CENTERS.view),
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

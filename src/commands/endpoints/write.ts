import { berth, sentence } from '../../core/message.ts';
import { usage } from '../../core/failure.ts';
import {
  arrayAt,
  isObject,
  itemsAt,
  type Json,
  type JsonObject,
  memberAt,
  numberAt,
  objectOf,
  stringAt,
  stringOf,
} from '../../core/json.ts';
import { type DollarRange, formatDollarRange } from '../../core/units.ts';
import { withoutKey } from '../../create/key.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import type { WriteVerb } from '../../cli/resource/fields.ts';
import { merged } from '../../cli/resource/request-body.ts';
import { AT_UNKNOWN_PRICE, type Price } from '../../cli/resource/ask-before-write.ts';
import type { WriteSpec } from '../../cli/resource/write.ts';
import { countOf } from '../../cli/words.ts';
import { REGISTRIES, TEMPLATES, VOLUMES } from '../../cli/resource/collections.ts';
import { hasKnownPlaces, largeDiskLine, withTemplateDisks } from '../../cli/money/disks.ts';
import { rowsUnlessFailed } from '../../cli/money/account-line.ts';
import { priceCatalog, workerHourlyPrice } from '../../cli/money/hourly-cost.ts';
import { ENDPOINT_TABLE } from './fields.ts';
import { alwaysRunning, maxWorkers, minWorkers, raise, times } from './raise.ts';
import { ROLLOUT } from './releases.ts';

/** Drops a `template` of a file, like other members that are only printed. */
function bodyFields(verb: WriteVerb) {
  const fields = bodyOf(ENDPOINT_TABLE, verb);
  return { ...fields, prints: [...(fields.prints ?? []), 'template'] };
}

const common = {
  setExample: 'workers.max=5',
  adapt: withoutNull,
  exclusive: [
    ['gpuPool', 'cpu'],
    ['queueDelay', 'requestCount'],
    ['cuda', 'minCuda'],
  ],
  references: { templateId: TEMPLATES, registry: REGISTRIES, networkVolumes: VOLUMES },
  wait: ROLLOUT,
} as const satisfies Partial<WriteSpec>;

export const createSpec: WriteSpec = {
  costs: true,
  ...common,
  adapt: (document) => withoutKey(withoutNull(document)),
  ...bodyFields('create'),
  summary: 'create a serverless endpoint',
  details:
    'Needs a name, an image or a template, and GPU pools or CPU flavors. --wait waits until its workers run the first release.',
  needed: ['name', ['template', 'image'], ['gpuPool', 'cpu']],
  defaults: ({ type, scaling }) => ({
    type: 'QUEUE',
    ...(scaling === undefined ? { scaling: type === 'LOAD_BALANCER' ? AT_FOUR_REQUESTS : AFTER_FOUR_SECONDS } : {}),
  }),
  check: (body) => {
    checkHardware(body, 'create');
    checkWorkers(body);
    checkScaling(body, stringOf(body['type']), body['scaling']);
  },
  price,
  examples: [
    [
      'berth endpoints create --name captions --image example/captions:1.0 --gpu-pool POOL-24G',
      'a queue with 0 to 3 workers',
    ],
    [
      'berth endpoints create --name api --type LOAD_BALANCER --image example/api:1.0 --cpu cpu-general:4',
      'HTTP on CPUs',
    ],
    [
      'berth endpoints create --name tags --image example/tags:1 --gpu-pool POOL-24G --entrypoint python -- -u worker.py',
      'with a command of its own, word by word',
    ],
    ['berth endpoints get echo -o yaml | berth endpoints create --name copy --file -', 'a copy of an existing one'],
  ],
};

const AFTER_FOUR_SECONDS: Json = { type: 'QUEUE_DELAY', queueDelay: 4 };
const AT_FOUR_REQUESTS: Json = { type: 'REQUEST_COUNT', requestCount: 4 };

export const updateSpec: WriteSpec = {
  costs: true,
  ...common,
  ...bodyFields('update'),
  summary: 'change a serverless endpoint',
  details:
    'A change of the container makes a new release, which replaces the workers one by one. A change of scaling or hardware leaves workers that run as they are.',
  check: async (body, read) => {
    checkHardware(body, 'update');
    if (read === undefined || ['gpu', 'cpu', 'scaling', 'workers'].every((member) => body[member] === undefined))
      return;
    const before = await read();
    checkKind(body, before);
    if (body['workers'] !== undefined) checkWorkers(body, before);
    checkScaling(body, stringAt(before, 'type'), body['scaling'] ?? memberAt(before, 'scaling'));
  },
  raise,
  examples: [
    ['berth endpoints update captions --image example/captions:1.1 --wait', 'release an image and watch it roll out'],
    ['berth endpoints update captions --workers-min 1 --workers-max 5', 'scale it'],
  ],
};

/** `get` prints `gpu.minCudaVersion` as null, which a body does not accept. */
function withoutNull(document: JsonObject): JsonObject {
  const { gpu, ...rest } = document;
  if (!isObject(gpu)) return rest;
  const { minCudaVersion, ...inner } = gpu;
  return {
    ...rest,
    gpu: minCudaVersion === null || minCudaVersion === undefined ? inner : { ...inner, minCudaVersion },
  };
}

/** Not both GPU and CPU; a create with a GPU needs a pool (contract rules, Serverless). */
function checkHardware(body: JsonObject, verb: WriteVerb): void {
  const [gpu, cpu] = [body['gpu'] !== undefined, body['cpu'] !== undefined];
  if (gpu && cpu) throw usage('an endpoint runs on GPUs or on CPUs, not on both', 'Keep --gpu-pool or --cpu.');
  if (verb === 'create' && gpu && itemsAt(body, 'gpu.pools').length === 0)
    throw usage('missing --gpu-pool', sentence`Pools: ${berth`catalog gpus -o wide`}.`);
}

/** An endpoint cannot change between GPUs and CPUs (contract rules, Serverless: PATCH). */
function checkKind(body: JsonObject, before: Json): void {
  if (body['gpu'] !== undefined && arrayAt(before, 'cpu') !== undefined)
    throw usage('this endpoint runs on CPUs, and that cannot change', 'Create another one.');
  if (body['cpu'] !== undefined && isObject(memberAt(before, 'gpu')))
    throw usage('this endpoint runs on GPUs, and that cannot change', 'Create another one.');
}

/** Scaling and idle timeout depend on the endpoint's type (contract rules, Serverless). */
function checkScaling(body: JsonObject, type: string | undefined, scaling: Json | undefined): void {
  const kind = stringAt(scaling, 'type');
  if (type === 'LOAD_BALANCER' && kind === 'QUEUE_DELAY')
    throw usage('--queue-delay: a LOAD_BALANCER has no queue', 'It scales by --request-count.');
  if (type === 'QUEUE' && kind === 'REQUEST_COUNT' && memberAt(body, 'workers.idleTimeout') !== undefined)
    throw usage(
      '--idle-timeout does not go with --request-count on a QUEUE endpoint',
      'Leave it out, or scale by --queue-delay.',
    );
}

/** Minimum above maximum: usage (2). `before` is the current endpoint of an update. */
function checkWorkers(body: JsonObject, before?: Json): void {
  const endpoint = merged(objectOf(before ?? null) ?? {}, body);
  const [min, max] = [minWorkers(endpoint), maxWorkers(endpoint)];
  if (min <= max) return;
  const whose = before === undefined ? 'by default' : 'of the endpoint now';
  const isGiven = (name: string): boolean => numberAt(body, `workers.${name}`) !== undefined;
  const least = isGiven('min') ? `--workers-min ${min}` : `the minimum ${whose}, ${countOf(min, 'worker')}`;
  const most = isGiven('max') ? `--workers-max ${max}` : `the maximum ${whose}, ${countOf(max, 'worker')}`;
  throw usage(
    isGiven('min') ? `${least} is above ${most}` : `${most} is below ${least}`,
    `Give --workers-min ${max}, or --workers-max ${min}.`,
  );
}

async function price(ctx: CommandContext, body: JsonObject): Promise<Price | undefined> {
  if (!(await hasKnownPlaces(ctx, body))) return undefined;
  const catalog = (await rowsUnlessFailed(ctx, priceCatalog(body))) ?? [];
  const [hour, min] = [workerHourlyPrice(body, catalog), minWorkers(body)];
  const cost =
    hour === undefined
      ? 'The catalog does not tell what a worker costs while it runs'
      : `A worker costs ${formatDollarRange(hour)} an hour while it runs`;
  const total = hour === undefined ? '' : `: ${alwaysRunning(times(hour, min))}`;
  const always =
    min === 0 ? '' : ` ${countOf(min, 'worker')} always run${min === 1 ? 's' : ''}${total}, also without jobs.`;
  const disk = largeDiskLine(await withTemplateDisks(ctx, body), 'worker');
  const line = `${cost}; ${countOf(maxWorkers(body), 'worker')} at most.${always}${disk === undefined ? '' : ` ${disk}`}`;
  return { line, asks: min > 0, inQuestion: inQuestion(hour, min) };
}

/** Of the workers that always run; without one, the price of a worker. */
const inQuestion = (hour: DollarRange | undefined, min: number): string => {
  if (hour === undefined) return AT_UNKNOWN_PRICE;
  return `for ${min === 0 ? `${formatDollarRange(hour)} an hour of a running worker` : alwaysRunning(times(hour, min))}`;
};

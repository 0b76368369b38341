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
import { berth, type Message, sentence } from '../../core/message.ts';
import { withoutKey } from '../../create/key.ts';
import { defineCommand, type Values, waitOptions } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { catalogOf, ofEndpoint, ofWorker, perHour, tellPrice } from '../../cli/money.ts';
import { ENDPOINTS as COLLECTION, REGISTRIES, TEMPLATES, VOLUMES } from '../../cli/resource/collections.ts';
import { bodyArguments, bodyFlags, bodyFrom, type BodyRules, withReferences } from '../../cli/resource/noun-body.ts';
import { patch, post, written } from '../../cli/resource/noun-writes.ts';
import { unlessUnread } from '../../cli/run/dry-run.ts';
import { idArgument, rowSchema } from '../../cli/resource/read.ts';
import { merged } from '../../cli/resource/request-body.ts';
import { each, readRow, resource } from '../../cli/resource/targets.ts';
import { countOf } from '../../cli/words.ts';
import { idOf, type Result } from '../../output/view.ts';
import { ENDPOINT_TABLE } from './fields.ts';
import { waitForRollout } from './releases.ts';

export const ENDPOINTS = resource(COLLECTION, ENDPOINT_TABLE);

const REFERENCES = { templateId: TEMPLATES, registry: REGISTRIES, networkVolumes: VOLUMES };

const RULES: BodyRules = {
  example: 'workers.max=5',
  readOnly: ['template'],
  fromPrinted: withoutNull,
  exclusive: [
    ['gpuPool', 'cpu'],
    ['queueDelay', 'requestCount'],
    ['cuda', 'minCuda'],
  ],
  references: REFERENCES,
};

const CREATE_RULES: BodyRules = {
  ...RULES,
  fromPrinted: (document) => withoutKey(withoutNull(document)),
  needed: ['name', ['template', 'image'], ['gpuPool', 'cpu']],
};

const WAIT = waitOptions('wait until its workers run the release');

export const create = defineCommand({
  summary: 'create a serverless endpoint',
  details: 'By default it serves a queue and adds a worker when a job waits for 4 seconds.',
  args: bodyArguments(ENDPOINTS, 'create', CREATE_RULES),
  options: { ...bodyFlags(ENDPOINTS, 'create', CREATE_RULES), ...WAIT },
  needed: CREATE_RULES.needed,
  fields: ENDPOINTS.view.paths,
  output: rowSchema(ENDPOINTS),
  writes: true,
  costs: true,
  examples: [
    ['berth endpoints create captions --image example/captions:1.0 --gpu-pool POOL-24G', 'a queue with 0 to 3 workers'],
    ['berth endpoints create api --type LOAD_BALANCER --image example/api:1.0 --cpu cpu-general:4', 'HTTP on CPUs'],
    [
      'berth endpoints create tags --image example/tags:1 --gpu-pool POOL-24G --entrypoint python -- -u worker.py',
      'with a command of its own, word by word',
    ],
    ['berth endpoints get echo -o yaml | berth endpoints create copy --file -', 'a copy of an existing one'],
  ],
  run: async (ctx, values: Values) => {
    const given = await bodyFrom(ctx, ENDPOINTS, values, CREATE_RULES);
    const body = { ...newEndpointDefaults(given), ...given };
    checkNewEndpoint(body);
    await tellPrice(ctx, () => priceOf(ctx, body));
    const answer = await withReferences(ctx, body, REFERENCES, (known) => ctx.api.send(post(ENDPOINTS, known)));
    return await waited(ctx, await written(ctx, ENDPOINTS, answer, 'created'), answer.value ?? null, values);
  },
});

export const update = defineCommand({
  summary: 'change a serverless endpoint',
  details:
    'A change of the container makes a new release, which replaces the workers one by one. A change of scaling or hardware leaves workers that run as they are.',
  args: { id: idArgument(ENDPOINTS), ...bodyArguments(ENDPOINTS, 'update', RULES) },
  options: { ...bodyFlags(ENDPOINTS, 'update', RULES), ...WAIT },
  needed: [Object.keys(bodyFlags(ENDPOINTS, 'update', RULES))],
  fields: ENDPOINTS.view.paths,
  output: rowSchema(ENDPOINTS),
  writes: true,
  costs: true,
  examples: [
    ['berth endpoints update captions --image example/captions:1.1 --wait', 'release an image and watch it roll out'],
    ['berth endpoints update captions --workers-min 1 --workers-max 5', 'scale it'],
  ],
  run: async (ctx, values: Values) => {
    const word = String(values['id']);
    let reading: Promise<Json> | undefined;
    const read = (): Promise<Json> => (reading ??= readRow(ctx, ENDPOINTS, word).then(({ value = null }) => value));
    const body = await bodyFrom(ctx, ENDPOINTS, values, RULES, read);
    await unlessUnread(ctx, () => checkEndpointUpdate(body, read));
    const [done] = await each(ctx, ENDPOINTS, [{ word }], (id) =>
      withReferences(ctx, body, REFERENCES, (known) => ctx.api.send(patch(ENDPOINTS, id, known))),
    );
    if (done?.answer === undefined) throw done?.failure ?? new Error('no outcome');
    const result = await written(ctx, ENDPOINTS, done.answer, 'updated');
    return await waited(ctx, result, done.answer.value ?? null, values);
  },
});

/** The result of the write; with --wait also how the rollout ended. */
async function waited(ctx: CommandContext, result: Result, endpoint: Json, values: Values): Promise<Result> {
  if (values['wait'] !== true) return result;
  const { failure } = await waitForRollout(ctx, idOf(endpoint), Number(values['waitTimeout']));
  return failure === undefined ? result : { ...result, failure };
}

/** `A worker: $0.34/h while it runs. 2 workers always run: $0.68/h`. */
async function priceOf(ctx: CommandContext, body: JsonObject): Promise<Message> {
  const catalog = await catalogOf(ctx, body);
  const least = minWorkers(body);
  const always =
    least === 0 ? '' : `. ${countOf(least, 'worker')} always running: ${perHour(ofEndpoint(body, catalog))}`;
  return `A worker: ${perHour(ofWorker(body, catalog))} while it runs${always}`;
}

export const newEndpointDefaults = ({ type, scaling }: JsonObject): JsonObject => ({
  type: 'QUEUE',
  ...(scaling === undefined ? { scaling: type === 'LOAD_BALANCER' ? AT_FOUR_REQUESTS : AFTER_FOUR_SECONDS } : {}),
});

const AFTER_FOUR_SECONDS: Json = { type: 'QUEUE_DELAY', queueDelay: 4 };
const AT_FOUR_REQUESTS: Json = { type: 'REQUEST_COUNT', requestCount: 4 };

/** Usage (2) for a body that contradicts itself. */
export function checkNewEndpoint(body: JsonObject): void {
  checkHardware(body, 'create');
  checkWorkers(body);
  checkScaling(body, stringOf(body['type']), body['scaling']);
}

/** Usage (2). Reads the endpoint only for what depends on it. */
export async function checkEndpointUpdate(body: JsonObject, read: () => Promise<Json>): Promise<void> {
  checkHardware(body, 'update');
  if (['gpu', 'cpu', 'scaling', 'workers'].every((member) => body[member] === undefined)) return;
  const before = await read();
  checkKind(body, before);
  if (body['workers'] !== undefined) checkWorkers(body, before);
  checkScaling(body, stringAt(before, 'type'), body['scaling'] ?? memberAt(before, 'scaling'));
}

/** What the service sets where a create names none (contract rules, Serverless). */
const DEFAULT_MAX = 3;

const minWorkers = (endpoint: Json): number => numberAt(endpoint, 'workers.min') ?? 0;
const maxWorkers = (endpoint: Json): number => numberAt(endpoint, 'workers.max') ?? DEFAULT_MAX;

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
function checkHardware(body: JsonObject, verb: 'create' | 'update'): void {
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

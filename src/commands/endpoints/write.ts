import { isObject, type Json, type JsonObject, numberAt } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { withoutKey } from '../../create/key.ts';
import { defineCommand, type Values, waitOptions } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { catalogOf, ofEndpoint, ofWorker, perHour, tellPrice } from '../../cli/money.ts';
import { REGISTRIES, TEMPLATES, VOLUMES } from '../../cli/resource/collections.ts';
import { bodyArguments, bodyFlags, bodyFrom, type BodyRules, withReferences } from '../../cli/resource/request-body.ts';
import { patch, post, written } from '../../cli/resource/noun-writes.ts';
import { idArgument, rowSchema } from '../../cli/resource/arguments.ts';
import { readRow, withId } from '../../cli/resource/targets.ts';
import { countOf } from '../../cli/words.ts';
import { idOf, type Result } from '../../output/view.ts';
import { ENDPOINTS } from './fields.ts';
import { waitForRollout } from './releases.ts';

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

export const WAIT = waitOptions('wait until its workers run the release');

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
    ['berth endpoints get echo -o yaml | berth endpoints create copy --file -', 'a copy of an existing one'],
  ],
  run: async (ctx, values: Values) => {
    const given = await bodyFrom(ctx, ENDPOINTS, values, CREATE_RULES);
    const body = { ...newEndpointDefaults(given), ...given };
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
    const answer = await withId(ctx, ENDPOINTS, word, (id) =>
      withReferences(ctx, body, REFERENCES, (known) => ctx.api.send(patch(ENDPOINTS, id, known))),
    );
    return await waited(ctx, await written(ctx, ENDPOINTS, answer, 'updated'), answer.value ?? null, values);
  },
});

/** The result of the write; with --wait also how the rollout ended. */
export async function waited(ctx: CommandContext, result: Result, endpoint: Json, values: Values): Promise<Result> {
  if (values['wait'] !== true) return result;
  const { failure } = await waitForRollout(ctx, idOf(endpoint), Number(values['waitTimeout']));
  return failure === undefined ? result : { ...result, failure };
}

/** `A worker: $0.34/h while it runs. 2 workers always run: $0.68/h`. */
async function priceOf(ctx: CommandContext, body: JsonObject): Promise<Message> {
  const catalog = await catalogOf(ctx, body);
  const least = numberAt(body, 'workers.min') ?? 0;
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

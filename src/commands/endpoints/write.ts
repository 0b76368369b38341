import { isObject, type Json, type JsonObject, numberAt } from '../../core/json.ts';
import type { Message } from '../../core/message.ts';
import { withoutKey } from '../../create/key.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { catalogOf, ofEndpoint, ofWorker, perHour } from '../../cli/money.ts';
import { REGISTRIES, TEMPLATES, VOLUMES } from '../../cli/resource/collections.ts';
import type { BodyRules } from '../../cli/resource/request-body.ts';
import { create as createOf, update as updateOf } from '../../cli/resource/noun-writes.ts';
import { countOf } from '../../cli/words.ts';
import { ENDPOINTS } from './fields.ts';
import { ROLLOUT } from './releases.ts';

const RULES: BodyRules = {
  example: 'workers.max=5',
  readOnly: ['template'],
  fromPrinted: withoutNull,
  exclusive: [
    ['gpuPool', 'cpu'],
    ['queueDelay', 'requestCount'],
    ['cuda', 'minCuda'],
  ],
  references: { templateId: TEMPLATES, registry: REGISTRIES, networkVolumes: VOLUMES },
};

export const create = createOf(ENDPOINTS, {
  ...RULES,
  summary: 'create a serverless endpoint',
  details: 'By default it serves a queue and adds a worker when a job waits for 4 seconds.',
  needed: ['name', ['template', 'image'], ['gpuPool', 'cpu']],
  fromPrinted: (document) => withoutKey(withoutNull(document)),
  body: async (_, read) => {
    const given = await read();
    return { ...newEndpointDefaults(given), ...given };
  },
  price: priceOf,
  wait: ROLLOUT,
  examples: [
    ['berth endpoints create captions --image example/captions:1.0 --gpu-pool POOL-24G', 'a queue with 0 to 3 workers'],
    ['berth endpoints create api --type LOAD_BALANCER --image example/api:1.0 --cpu cpu-general:4', 'HTTP on CPUs'],
    ['berth endpoints get echo -o yaml | berth endpoints create copy --file -', 'a copy of an existing one'],
  ],
});

export const update = updateOf(ENDPOINTS, {
  ...RULES,
  summary: 'change a serverless endpoint',
  details:
    'A change of the container makes a new release, which replaces the workers one by one. A change of scaling or hardware leaves workers that run as they are.',
  costs: true,
  wait: ROLLOUT,
  examples: [
    ['berth endpoints update captions --image example/captions:1.1 --wait', 'release an image and watch it roll out'],
    ['berth endpoints update captions --workers-min 1 --workers-max 5', 'scale it'],
  ],
});

/** `A worker: $0.34/h while it runs. 2 workers always run: $0.68/h`. */
async function priceOf(body: JsonObject, ctx: CommandContext): Promise<Message> {
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

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { EXPIRED_KEY, JOBS_ONLY_KEY } from '../../src/local/auth.ts';
import { createLocalService } from '../../src/local/service.ts';
import { seed } from '../../src/local/seed.ts';
import type { State } from '../../src/local/state.ts';
import { memoryStore } from '../../src/local/store.ts';
import { createTestClock } from '../support/clock.ts';
import { localFixture, type Answer, type LocalFixture } from '../support/local.ts';
import { RESOURCE_CASES, type Case } from './cases.ts';

const gpu = { id: 'GPU-24G' };
const image = 'example/image:1';
const scaling = { type: 'QUEUE_DELAY', queueDelay: 4 };
const pools = ['POOL-24G'];
const AVAILABLE = 'include=AVAILABILITY&product=POD';
const arn = 'arn:cloud:registry:eu-north-1:123456789012:repository/team/images:v1';

const CASES: readonly Case[] = [
  ...RESOURCE_CASES,
  { id: 'listPods', request: 'GET /v2/pods', status: 200 },
  { id: 'listPods', request: 'GET /v2/pods?includeClusterPods=x', status: 422 },
  { id: 'createPod', request: 'POST /v2/pods', body: { name: 'p', image, gpu, startSsh: true }, status: 201 },
  {
    id: 'createPod',
    request: 'POST /v2/pods',
    body: { name: 'p', image, cpu: { id: 'cpu-general', vcpuCount: 2 } },
    status: 201,
  },
  { id: 'createPod', request: 'POST /v2/pods', body: { name: 'p', image }, status: 400 },
  { id: 'createPod', request: 'POST /v2/pods', body: { name: 'p', templateId: 'none', gpu }, status: 404 },
  { id: 'createPod', request: 'POST /v2/pods', body: { name: 'p', gpu, x: 1 }, status: 422 },
  ...['train', 'notebook', 'web', 'provisioning', 'starting', 'stopped', 'stopped-cpu', 'broken', 'terminated'].map(
    (name) => ({ id: 'getPod', request: `GET /v2/pods/pod-${name}`, status: 200 }),
  ),
  { id: 'getPod', request: 'GET /v2/pods/none', status: 404 },
  {
    id: 'updatePod',
    request: 'PATCH /v2/pods/pod-web',
    body: { name: 'x', disk: 30, ports: ['80/http'] },
    status: 200,
  },
  { id: 'updatePod', request: 'PATCH /v2/pods/pod-web', body: { mounts: { network: [] } }, status: 400 },
  { id: 'updatePod', request: 'PATCH /v2/pods/none', body: {}, status: 404 },
  { id: 'updatePod', request: 'PATCH /v2/pods/pod-terminated', body: { name: 'x' }, status: 409 },
  { id: 'updatePod', request: 'PATCH /v2/pods/pod-web', body: { disk: 0 }, status: 422 },
  { id: 'podAction', request: 'POST /v2/pods/pod-train/action', body: { action: 'restart' }, status: 200 },
  { id: 'podAction', request: 'POST /v2/pods/pod-broken/action', body: { action: 'terminate' }, status: 204 },
  { id: 'podAction', request: 'POST /v2/pods/pod-train/action', body: '', status: 400 },
  { id: 'podAction', request: 'POST /v2/pods/none/action', body: { action: 'stop' }, status: 404 },
  { id: 'podAction', request: 'POST /v2/pods/pod-train/action', body: { action: 'start' }, status: 409 },
  { id: 'podAction', request: 'POST /v2/pods/pod-train/action', body: { action: 'dance' }, status: 422 },
  { id: 'deletePod', request: 'DELETE /v2/pods/pod-train', status: 204 },
  { id: 'deletePod', request: 'DELETE /v2/pods/none', status: 404 },
  { id: 'listEndpoints', request: 'GET /v2/serverless', status: 200 },
  {
    id: 'createEndpoint',
    request: 'POST /v2/serverless',
    body: { name: 'e', type: 'QUEUE', image, scaling, gpu: { pools, minCudaVersion: '12.4' } },
    status: 201,
  },
  {
    id: 'createEndpoint',
    request: 'POST /v2/serverless',
    body: {
      name: 'e',
      type: 'LOAD_BALANCER',
      image,
      scaling: { type: 'REQUEST_COUNT', requestCount: 4 },
      cpu: [{ id: 'cpu-compute', vcpuCount: 2 }],
    },
    status: 201,
  },
  {
    id: 'createEndpoint',
    request: 'POST /v2/serverless',
    body: { name: 'e', type: 'QUEUE', image, scaling: { type: 'REQUEST_COUNT', requestCount: 4 }, gpu: { pools } },
    status: 201,
  },
  {
    id: 'createEndpoint',
    request: 'POST /v2/serverless',
    body: { name: 'e', type: 'QUEUE', image, scaling },
    status: 400,
  },
  {
    id: 'createEndpoint',
    request: 'POST /v2/serverless',
    body: {
      name: 'e',
      type: 'QUEUE',
      image,
      scaling: { type: 'REQUEST_COUNT', requestCount: 4 },
      gpu: { pools },
      workers: { idleTimeout: 5 },
    },
    status: 400,
  },
  {
    id: 'createEndpoint',
    request: 'POST /v2/serverless',
    body: { name: 'e', type: 'QUEUE', image, scaling, gpu: { pools }, networkVolumes: ['none'] },
    status: 404,
  },
  {
    id: 'createEndpoint',
    request: 'POST /v2/serverless',
    body: { name: 'e', type: 'LOAD_BALANCER', image, scaling, gpu: { pools } },
    status: 422,
  },
  { id: 'getEndpoint', request: 'GET /v2/serverless/echo', status: 200 },
  { id: 'getEndpoint', request: 'GET /v2/serverless/none', status: 404 },
  {
    id: 'createEndpoint',
    request: 'POST /v2/serverless',
    body: { name: 'e', type: 'QUEUE', templateId: 'tpl-worker', scaling, gpu: { pools } },
    status: 201,
  },
  {
    id: 'updateEndpoint',
    request: 'PATCH /v2/serverless/echo',
    body: {
      name: 'x',
      image,
      env: { A: 'b' },
      workers: { min: 1 },
      scaling: { type: 'REQUEST_COUNT', requestCount: 2 },
    },
    status: 200,
  },
  { id: 'updateEndpoint', request: 'PATCH /v2/serverless/echo', body: {}, status: 200 },
  { id: 'updateEndpoint', request: 'PATCH /v2/serverless/echo', body: { gpu: { pools } }, status: 400 },
  { id: 'updateEndpoint', request: 'PATCH /v2/serverless/echo', body: { templateId: 'none' }, status: 404 },
  { id: 'updateEndpoint', request: 'PATCH /v2/serverless/none', body: {}, status: 404 },
  { id: 'updateEndpoint', request: 'PATCH /v2/serverless/demo-text-model', body: {}, status: 404 },
  { id: 'updateEndpoint', request: 'PATCH /v2/serverless/echo', body: { type: 'QUEUE' }, status: 422 },
  { id: 'listEndpointWorkers', request: 'GET /v2/serverless/echo/workers', status: 200 },
  {
    id: 'listEndpointWorkers',
    before: 'POST /v2/echo/run',
    request: 'GET /v2/serverless/echo/workers',
    status: 200,
  },
  { id: 'listEndpointWorkers', request: 'GET /v2/serverless/none/workers', status: 404 },
  { id: 'listEndpointReleases', request: 'GET /v2/serverless/echo/releases', status: 200 },
  { id: 'listEndpointReleases', request: 'GET /v2/serverless/none/releases', status: 404 },
  {
    id: 'getWorkerLogs',
    before: 'POST /v2/echo/run',
    request: 'GET /v2/serverless/echo/workers/w0000002/logs?tail=5',
    status: 200,
  },
  { id: 'getWorkerLogs', request: 'GET /v2/serverless/echo/workers/none/logs', status: 404 },
  { id: 'getWorkerLogs', request: 'GET /v2/serverless/echo/workers/constructor/logs', status: 404 },
  {
    id: 'getWorkerLogs',
    before: 'POST /v2/echo/run',
    request: 'GET /v2/serverless/demo/workers/w0000002/logs',
    status: 404,
  },
  { id: 'getWorkerLogs', request: 'GET /v2/serverless/none/workers/w0000002/logs', status: 404 },
  { id: 'getWorkerLogs', request: 'GET /v2/serverless/echo/workers/none/logs?tail=5001', status: 422 },
  { id: 'deleteEndpoint', request: 'DELETE /v2/serverless/sleep', status: 204 },
  { id: 'deleteEndpoint', request: 'DELETE /v2/serverless/none', status: 404 },
  { id: 'listNetworkVolumes', request: 'GET /v2/network-volumes', status: 200 },
  {
    id: 'createNetworkVolume',
    request: 'POST /v2/network-volumes',
    body: { name: 'v', size: 4096, dataCenter: 'EU-NORTH-1', type: 'HIGH_PERFORMANCE' },
    status: 201,
  },
  {
    id: 'createNetworkVolume',
    request: 'POST /v2/network-volumes',
    body: { name: 'v', size: 10, dataCenter: 'ASIA-1' },
    status: 400,
  },
  { id: 'createNetworkVolume', request: 'POST /v2/network-volumes', body: { name: 'v', size: 9 }, status: 422 },
  { id: 'getNetworkVolume', request: 'GET /v2/network-volumes/vol-datasets', status: 200 },
  { id: 'getNetworkVolume', request: 'GET /v2/network-volumes/none', status: 404 },
  { id: 'updateNetworkVolume', request: 'PATCH /v2/network-volumes/vol-scratch', body: { size: 20 }, status: 200 },
  { id: 'updateNetworkVolume', request: 'PATCH /v2/network-volumes/vol-datasets', body: { size: 20 }, status: 400 },
  { id: 'updateNetworkVolume', request: 'PATCH /v2/network-volumes/none', body: { size: 20 }, status: 404 },
  { id: 'updateNetworkVolume', request: 'PATCH /v2/network-volumes/vol-scratch', body: {}, status: 422 },
  {
    id: 'updateNetworkVolume',
    request: 'PATCH /v2/network-volumes/vol-scratch',
    body: { dataCenter: 'x' },
    status: 422,
  },
  { id: 'deleteNetworkVolume', request: 'DELETE /v2/network-volumes/vol-scratch', status: 204 },
  { id: 'deleteNetworkVolume', request: 'DELETE /v2/network-volumes/none', status: 404 },
  { id: 'listDelegations', request: 'GET /v2/registries/delegations', status: 200 },
  {
    id: 'createDelegation',
    request: 'POST /v2/registries/delegations',
    body: { resource: arn, name: 'd' },
    status: 201,
  },
  { id: 'createDelegation', request: 'POST /v2/registries/delegations', body: { resource: arn }, status: 201 },
  { id: 'createDelegation', request: 'POST /v2/registries/delegations', body: { resource: 'x' }, status: 400 },
  { id: 'createDelegation', request: 'POST /v2/registries/delegations', body: {}, status: 422 },
  { id: 'revokeDelegation', request: 'DELETE /v2/registries/delegations/dlg-images', status: 204 },
  { id: 'revokeDelegation', request: 'DELETE /v2/registries/delegations/none', status: 404 },
  { id: 'listGpuTypes', request: 'GET /v2/catalog/gpus', status: 200 },
  { id: 'listGpuTypes', request: `GET /v2/catalog/gpus?${AVAILABLE}&count=2&countryCodes=SE,US`, status: 200 },
  { id: 'listGpuTypes', request: 'GET /v2/catalog/gpus?product=POD', status: 400 },
  { id: 'getGpuType', request: `GET /v2/catalog/gpus/GPU-80G?${AVAILABLE}&minCudaVersion=12.10`, status: 200 },
  { id: 'getGpuType', request: 'GET /v2/catalog/gpus/none', status: 404 },
  { id: 'listCpuTypes', request: `GET /v2/catalog/cpus?${AVAILABLE}`, status: 200 },
  { id: 'getCpuType', request: 'GET /v2/catalog/cpus/cpu-general', status: 200 },
  { id: 'getCpuType', request: 'GET /v2/catalog/cpus/none', status: 404 },
  {
    id: 'listDataCenters',
    request: 'GET /v2/catalog/datacenters?include=GPU_AVAILABILITY,CPU_AVAILABILITY',
    status: 200,
  },
  { id: 'getDataCenter', request: 'GET /v2/catalog/datacenters/EU-WEST-1', status: 200 },
  { id: 'getDataCenter', request: 'GET /v2/catalog/datacenters/none', status: 404 },
];

interface Published {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId?: string; responses?: Responses }>>>>;
}
type Responses = Readonly<Record<string, { content?: Readonly<Record<string, { schema: object }>> }>>;

const document = (await localFixture().send('GET', '/v2/openapi.json', undefined, null)).body as unknown as Published;
const published = new Map(
  Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ operationId, responses }) => (operationId === undefined ? [] : [[operationId, responses ?? {}]])),
) as ReadonlyMap<string, Responses>;

// Made from the published document alone, so that it judges as a stranger would.
const ajv = new Ajv2020({ strict: false, allErrors: true });
for (const format of ['date-time', 'uri', 'float', 'double']) ajv.addFormat(format, true);
ajv.addSchema({ ...document, $id: 'published' });

/** What the published document has against an answer. */
function objections(id: string, answer: Answer): unknown {
  const responses = published.get(id);
  if (responses === undefined) return `${id} is not published`;
  const described = responses[String(answer.status)] ?? responses['default'];
  const type = answer.headers.get('content-type') ?? '';
  const content = described?.content?.[type];
  if (content === undefined) return answer.text === '' && described?.content === undefined ? undefined : `no ${type}`;
  const check = ajv.compile(JSON.parse(JSON.stringify(content.schema).replaceAll('"#/', '"published#/')) as object);
  return check(type.includes('json') ? answer.body : answer.text) ? undefined : check.errors;
}

async function prepare(ask: LocalFixture['send'], { before = '', beforeBody = { input: {} } }: Case): Promise<void> {
  const [method = '', path = ''] = before.split(' ');
  if (method !== '') await ask(method, path, beforeBody);
}

const send = async (one: Case, key?: string | null): Promise<Answer> => {
  const { send: ask } = localFixture();
  await prepare(ask, one);
  const [method = '', path = ''] = one.request.split(' ');
  return ask(method, path, one.body, key);
};

describe('every answer fits the published document', () => {
  it.each(CASES)('$id $request $status', async (one) => {
    const answer = await send(one);
    expect([answer.status, answer.text]).toEqual([one.status, answer.text]);
    expect(objections(one.id, answer)).toBeUndefined();
    expect(answer.headers.has('ratelimit') && answer.headers.has('ratelimit-policy')).toBe(true);
  });

  it.each([...published.keys()])('%s: 401, 403 and 429 too', async (id) => {
    const one = CASES.find((known) => known.id === id);
    if (one === undefined) throw new Error(`no case for ${id}`);
    const [method = '', path = ''] = one.request.split(' ');
    const limited = localFixture({ quota: { minute: 0 } });
    const answers = [
      await send(one, null),
      await send(one, EXPIRED_KEY),
      await send(one, JOBS_ONLY_KEY),
      await limited.send(method, path, one.body),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 403, 429]);
    for (const answer of answers) expect(objections(id, answer)).toBeUndefined();
  });

  it('has a case for every status the contract gives an implemented operation a way to', () => {
    const uncovered = [...published].flatMap(([id, responses]) =>
      Object.keys(responses)
        .filter((status) => !['401', '403', '429', 'default'].includes(status))
        .filter((status) => !CASES.some((one) => one.id === id && String(one.status) === status))
        .map((status) => `${id} ${status}`),
    );
    expect(uncovered).toEqual([]);
  });
});

describe('what is refused changes nothing', () => {
  const shown = (state: State): unknown => ({ ...state, asOf: 0, rate: undefined, queue: undefined });
  it.each(CASES.filter(({ status }) => status >= 400))('$id $request $status', async (one) => {
    const clock = createTestClock();
    const state = seed(clock.now());
    const { send: ask } = localFixture({ clock, store: memoryStore(state) });
    await prepare(ask, one);
    const before = structuredClone(shown(state));
    const [method = '', path = ''] = one.request.split(' ');
    await ask(method, path, one.body);
    expect(shown(state)).toEqual(before);
  });
});

describe('the older volume creation (specification 4.4)', () => {
  it.each([
    [{ name: 'v', size: 10, dataCenterId: 'EU-WEST-1' }, 201],
    [{ name: 'v', size: 10, dataCenterId: 'MOON-1' }, 400],
    [{ name: 'v', size: 10 }, 422],
    [{ name: 'v', size: 10, dataCenterId: 'EU-WEST-1', type: 'STANDARD' }, 422],
  ])('%j', async (body, status) => {
    const answer = await localFixture().send('POST', '/v1/networkvolumes', body);
    expect(answer.status).toBe(status);
    if (status === 201) expect(answer.body).toEqual({ id: expect.stringMatching(/^vol-/) as string, ...body });
  });
});

describe('a service that stops', () => {
  it('ends what waits', async () => {
    const clock = createTestClock();
    const service = createLocalService({ clock, random: () => 0, store: memoryStore(), queueLimits: false });
    service.start();
    await service.stop();
    const late = await service.fetch(new Request('http://localhost/local/status'));
    expect(late.status).toBe(200);
  });
});

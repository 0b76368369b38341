import { describe, expect, it, test } from 'vitest';
import { localFixture, POD_BODY } from '../support/local/service-fixture.ts';

/** Lines of the contract rules and of the additions that have no test beside the code that they are about. */

const gpu = { id: 'GPU-24G', count: 1 };
const variables = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`V${at}`, '1']));
const endpoint = { name: 'e', type: 'QUEUE', scaling: { type: 'QUEUE_DELAY', queueDelay: 4 }, image: 'example/a:1' };
const secret = (rest: object) => ({ name: 'a', value: 'v', ...rest });
const compute = { gpuTypeId: 'GPU-80G', gpuCountPerPod: 8, podCount: 2 };

describe('a line of the contract', () => {
  it.each<[line: string, request: string, body: object | undefined, status: number]>([
    ['a pod is created with 50 variables', 'POST /v2/pods', { ...POD_BODY, env: variables(50) }, 201],
    ['and with no more', 'POST /v2/pods', { ...POD_BODY, env: variables(51) }, 400],
    ['startSsh is never patched', 'PATCH /v2/pods/pod-web', { startSsh: true }, 422],
    ['startJupyter neither', 'PATCH /v2/pods/pod-web', { startJupyter: true }, 422],
    ['nor hardware', 'PATCH /v2/pods/pod-web', { gpu }, 422],
    ['a RAM filter is at least 1', 'POST /v2/pods', { ...POD_BODY, gpu: { ...gpu, minRamPerGpu: 0 } }, 422],
    ['and whole', 'POST /v2/pods', { ...POD_BODY, gpu: { ...gpu, minVcpuCountPerGpu: 1.5 } }, 422],
    ['of pods only', 'POST /v2/serverless', { ...endpoint, gpu: { pools: ['POOL-24G'], minRamPerGpu: 1 } }, 422],
    [
      'a volume has 4096 GB at most',
      'POST /v2/network-volumes',
      { name: 'v', size: 4097, dataCenter: 'EU-WEST-1' },
      422,
    ],
    ['its tier is for good', 'PATCH /v2/network-volumes/vol-datasets', { type: 'STANDARD' }, 422],
    [
      'its name need not be unique',
      'POST /v2/network-volumes',
      { name: 'datasets', size: 10, dataCenter: 'EU-WEST-1' },
      201,
    ],
    [
      'a cluster has 250 pods at most',
      'POST /v2/clusters',
      { name: 'c', type: 'SLURM', compute: { ...compute, podCount: 251 } },
      422,
    ],
    [
      'the id of its template has a character',
      'POST /v2/clusters',
      { name: 'c', type: 'SLURM', compute, templateId: '' },
      422,
    ],
    ['a cluster is renamed and nothing else', 'PATCH /v2/clusters/none', { name: 'c', compute }, 422],
    ...['count=1', 'cloud=SECURE', 'countryCodes=DE', 'cudaVersions=12.8', 'minCudaVersion=12.1', 'product=POD'].map(
      (query): [string, string, undefined, number] => [
        'valid only with include=AVAILABILITY',
        `GET /v2/catalog/gpus?${query}`,
        undefined,
        400,
      ],
    ),
    ['valid only with include=AVAILABILITY', 'GET /v2/catalog/cpus?vcpuCount=2', undefined, 400],
    ['builds come 100 at a time', 'GET /v2/serverless/echo/builds?limit=100', undefined, 200],
    ['and no more', 'GET /v2/serverless/echo/builds?limit=101', undefined, 422],
    ['other lists are no pages', 'GET /v2/registries?limit=0', undefined, 200],
    ['a secret has a name of 191 characters', 'POST /v2/account/secrets', secret({ name: 'a'.repeat(191) }), 201],
    ['and no more', 'POST /v2/account/secrets', secret({ name: 'a'.repeat(192) }), 422],
    ['a value of at least one', 'POST /v2/account/secrets', secret({ value: '' }), 422],
    ['of fewer than 16777216 bytes', 'POST /v2/account/secrets', secret({ value: 'é'.repeat(8_388_608) }), 422],
  ])('%s: %s', async (_, request, body, status) => {
    const [method = '', path = ''] = request.split(' ');
    expect((await localFixture().send(method, path, body)).status).toBe(status);
  });
});

test('a deleted pod leaves its network volume', async () => {
  const { send } = localFixture();
  const volume = (await send('POST', '/v2/network-volumes', { name: 'v', size: 10, dataCenter: 'EU-NORTH-1' })).body;
  const mounts = { network: [{ volumeId: volume['id'], path: '/data' }] };
  const pod = await send('POST', '/v2/pods', { ...POD_BODY, gpu, mounts });
  expect([pod.status, pod.body['dataCenterId']]).toEqual([201, 'EU-NORTH-1']);
  expect((await send('DELETE', `/v2/pods/${String(pod.body['id'])}`)).status).toBe(204);
  expect((await send('GET', `/v2/network-volumes/${String(volume['id'])}`)).body).toEqual(volume);
});

test('direct SSH is there only where 22/tcp is published; the proxy is there with a key', async () => {
  const { send, clock } = localFixture();
  const sshOf = async (rest: object): Promise<unknown> => {
    const { body } = await send('POST', '/v2/pods', { ...POD_BODY, ...rest });
    clock.advance(60_000);
    return (await send('GET', `/v2/pods/${String(body['id'])}`)).body['ssh'];
  };
  const there = expect.objectContaining({ port: expect.any(Number) as number }) as object;
  expect(await sshOf({ startSsh: true })).toEqual({ proxy: there, direct: null });
  expect(await sshOf({ startSsh: true, ports: ['22/tcp'] })).toEqual({ proxy: there, direct: there });
  expect(await sshOf({ ports: ['22/tcp'] })).toEqual({ proxy: null, direct: null });
});

test('rollout and version of an endpoint are of now on every page of its releases', async () => {
  const { send } = localFixture();
  for (const image of ['a:1', 'a:2', 'a:3']) await send('PATCH', '/v2/serverless/demo', { image });
  const first = (await send('GET', '/v2/serverless/demo/releases?limit=1')).body;
  const { nextCursor } = first['pagination'] as { readonly nextCursor: string };
  await send('PATCH', '/v2/serverless/demo', { image: 'a:4' });
  const second = (await send('GET', `/v2/serverless/demo/releases?limit=1&cursor=${encodeURIComponent(nextCursor)}`))
    .body;
  expect([first['endpointVersion'], second['endpointVersion']]).toEqual([4, 5]);
});

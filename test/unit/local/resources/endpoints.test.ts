import { describe, expect, it } from 'vitest';
import { localFixture, type LocalFixture } from '../../../support/local/service-fixture.ts';

const image = 'example/image:1';
const scaling = { type: 'QUEUE_DELAY', queueDelay: 4 };
const perRequest = { type: 'REQUEST_COUNT', requestCount: 4 };
const gpu = { pools: ['POOL-24G'] };
const cpu = [{ id: 'cpu-general', vcpuCount: 4 }];
const asked = { name: 'mine', type: 'QUEUE', image, scaling, gpu };

const create = async (fixture: LocalFixture, body: object = {}): Promise<string> => {
  const answer = await fixture.send('POST', '/v2/serverless', { ...asked, ...body });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body['id'] as string;
};

describe('creating an endpoint', () => {
  it('fills in what the body leaves open', async () => {
    const { send } = localFixture();
    const { body } = await send('POST', '/v2/serverless', asked);
    expect(body).toMatchObject({
      workers: { min: 0, max: 3, idleTimeout: 10 },
      timeout: 300_000,
      flashboot: 'OFF',
      args: '',
      disk: 20,
      ports: [],
      env: {},
      registry: null,
      gpu: { pools: ['POOL-24G'], count: 1, allowedCudaVersions: [], minCudaVersion: null },
      dataCenterIds: [],
      networkVolumes: [],
    });
    const id = body['id'] as string;
    expect(body['requestUrls']).toMatchObject({ run: `http://localhost/v2/${id}/run` });
    expect((await send('GET', `/v2/serverless/${id}`)).body).toEqual(body);
  });

  it('takes the container of its template, its own members first and env key by key', async () => {
    const { send } = localFixture();
    const { image: _image, ...bare } = asked;
    const body = { ...bare, templateId: 'tpl-worker', disk: 7, env: { MODEL: 'large', MORE: '1' } };
    const answer = await send('POST', '/v2/serverless', body);
    expect(answer.body).toMatchObject({
      image: 'registry.example/team/worker:7',
      disk: 7,
      env: { MODEL: 'large', MORE: '1' },
    });
    expect((await send('DELETE', '/v2/templates/tpl-worker')).status).toBe(400);
    await send('DELETE', `/v2/serverless/${answer.body['id'] as string}`);
    expect((await send('DELETE', '/v2/templates/tpl-worker')).status).toBe(204);
  });

  it.each([
    ['neither kind of compute', { gpu: undefined }, 400],
    ['both kinds', { cpu }, 400],
    ['an unknown pool', { gpu: { pools: ['POOL-1T'] } }, 400],
    ['an unknown excluded type', { gpu: { ...gpu, excludedTypes: ['GPU-1T'] } }, 400],
    ['every type excluded', { gpu: { ...gpu, excludedTypes: ['GPU-24G'] } }, 400],
    ['two CUDA constraints', { gpu: { ...gpu, minCudaVersion: '12.1', allowedCudaVersions: ['12.1'] } }, 400],
    ['a CUDA version that is nowhere', { gpu: { ...gpu, minCudaVersion: '99.1' } }, 400],
    ['an unknown flavor', { gpu: undefined, cpu: [{ id: 'cpu-x', vcpuCount: 2 }] }, 400],
    ['vCPUs that are no power of two', { gpu: undefined, cpu: [{ id: 'cpu-general', vcpuCount: 6 }] }, 400],
    ['too many vCPUs', { gpu: undefined, cpu: [{ id: 'cpu-general', vcpuCount: 64 }] }, 400],
    ['an unknown data center', { dataCenterIds: ['MOON-1'] }, 400],
    ['a data center without the hardware', { gpu: { pools: ['POOL-48G'] }, dataCenterIds: ['ASIA-1'] }, 400],
    ['min above max', { workers: { min: 4 } }, 400],
    ['a negative timeout', { timeout: -1 }, 400],
    ['a port of no form', { ports: ['x'] }, 400],
    ['an idle timeout with REQUEST_COUNT', { scaling: perRequest, workers: { idleTimeout: 5 } }, 400],
    ['an unknown registry', { registry: 'none' }, 404],
    ['an unknown template', { templateId: 'none' }, 404],
    ['an unknown volume', { networkVolumes: ['none'] }, 404],
    ['LOAD_BALANCER with QUEUE_DELAY', { type: 'LOAD_BALANCER' }, 422],
  ])('refuses %s', async (_what, body, status) => {
    const { send } = localFixture();
    expect((await send('POST', '/v2/serverless', { ...asked, ...body })).status).toBe(status);
    expect((await send('GET', '/v2/serverless')).text).not.toContain('"mine"');
  });

  it('takes one volume a data center, and its workers run where the volumes are', async () => {
    const fixture = localFixture();
    const volumes = ['vol-datasets', 'vol-checkpoints'];
    const id = await create(fixture, { networkVolumes: volumes, workers: { min: 2 } });
    const { body } = await fixture.send('GET', `/v2/serverless/${id}/workers`);
    const places = (body['workers'] as { dataCenterId: string }[]).map(({ dataCenterId }) => dataCenterId);
    expect(places.sort()).toEqual(['EU-NORTH-1', 'US-EAST-1']);
    const place = { name: 'second', size: 10, dataCenter: 'EU-NORTH-1' };
    const second = (await fixture.send('POST', '/v2/network-volumes', place)).body['id'];
    const refused = await fixture.send('PATCH', `/v2/serverless/${id}`, { networkVolumes: [...volumes, second] });
    expect([refused.status, refused.body['detail']]).toEqual([400, 'at most one network volume per data center']);
  });
});

describe('changing an endpoint (contract rules, Serverless endpoints)', () => {
  it.each([
    ['gpu on a CPU endpoint', { gpu: undefined, cpu }, { gpu }],
    ['cpu on a GPU endpoint', {}, { cpu }],
    ['both on a GPU endpoint', {}, { cpu, gpu }],
    ['both on a CPU endpoint', { gpu: undefined, cpu }, { cpu, gpu }],
    ['QUEUE_DELAY on a load balancer', { type: 'LOAD_BALANCER', scaling: perRequest }, { scaling }],
    ['an idle timeout with REQUEST_COUNT', { scaling: perRequest }, { workers: { idleTimeout: 5 } }],
    ['an idle timeout along with REQUEST_COUNT', {}, { scaling: perRequest, workers: { idleTimeout: 5 } }],
    ['min above the max there is', {}, { workers: { min: 4 } }],
    ['max below the min there is', { workers: { min: 2 } }, { workers: { max: 1 } }],
    [
      'a CUDA constraint beside the other',
      { gpu: { ...gpu, minCudaVersion: '12.1' } },
      { gpu: { allowedCudaVersions: ['12.4'] } },
    ],
    ['a place that does not go with its hardware', {}, { dataCenterIds: ['MOON-1'] }],
  ])('refuses %s, and changes nothing', async (_what, made, change) => {
    const fixture = localFixture();
    const id = await create(fixture, made);
    const before = (await fixture.send('GET', `/v2/serverless/${id}`)).text;
    const answer = await fixture.send('PATCH', `/v2/serverless/${id}`, { name: 'changed', ...change });
    expect([answer.status, answer.text]).toEqual([400, answer.text]);
    expect((await fixture.send('GET', `/v2/serverless/${id}`)).text).toBe(before);
  });

  it('changes what it names and nothing else', async () => {
    const fixture = localFixture();
    const id = await create(fixture, { env: { A: '1', B: '2' } });
    const before = (await fixture.send('GET', `/v2/serverless/${id}`)).body;
    const change = { name: 'other', env: { B: '3' }, workers: { max: 5 }, timeout: 0, gpu: { count: 2 } };
    const { body } = await fixture.send('PATCH', `/v2/serverless/${id}`, change);
    expect(body).toEqual({
      ...before,
      name: 'other',
      env: { B: '3' },
      workers: { min: 0, max: 5, idleTimeout: 10 },
      timeout: 0,
      gpu: { pools: ['POOL-24G'], count: 2, allowedCudaVersions: [], minCudaVersion: null },
    });
  });

  it('hides the idle timeout while a QUEUE scales by REQUEST_COUNT, and keeps it', async () => {
    const fixture = localFixture();
    const id = await create(fixture, { workers: { idleTimeout: 77 } });
    const workersAfter = async (change: object): Promise<unknown> =>
      (await fixture.send('PATCH', `/v2/serverless/${id}`, change)).body['workers'];
    expect(await workersAfter({ scaling: perRequest })).toEqual({ min: 0, max: 3 });
    expect(await workersAfter({ scaling })).toEqual({ min: 0, max: 3, idleTimeout: 77 });
  });

  it('a load balancer shows its idle timeout, and answers no jobs', async () => {
    const fixture = localFixture();
    const id = await create(fixture, {
      type: 'LOAD_BALANCER',
      scaling: perRequest,
      workers: { min: 1, idleTimeout: 9 },
    });
    const { body } = await fixture.send('GET', `/v2/serverless/${id}`);
    expect(body).toMatchObject({
      workers: { min: 1, max: 3, idleTimeout: 9 },
      requestUrls: { base: `http://localhost/v2/${id}`, health: `http://localhost/v2/${id}/ping` },
    });
    expect((await fixture.send('POST', `/v2/${id}/run`, { input: {} })).status).toBe(400);
    const workers = await fixture.send('GET', `/v2/serverless/${id}/workers`);
    expect(workers.body['summary']).toMatchObject({ initializing: 1, total: 1 });
  });

  it.each([
    [{ pools: ['POOL-48G'] }, { pools: ['POOL-48G'], minCudaVersion: '12.4' }],
    [{ count: 2 }, { pools: ['POOL-24G', 'POOL-80G'], excludedTypes: ['GPU-80G'], count: 2, minCudaVersion: '12.4' }],
    [{ minCudaVersion: '' }, { excludedTypes: ['GPU-80G'], minCudaVersion: null }],
  ])('gpu %j leaves the rest as it was; new pools start without exclusions', async (change, expected) => {
    const fixture = localFixture();
    const id = await create(fixture, {
      gpu: { pools: ['POOL-24G', 'POOL-80G'], excludedTypes: ['GPU-80G'], minCudaVersion: '12.4' },
    });
    const { body } = await fixture.send('PATCH', `/v2/serverless/${id}`, { gpu: change });
    expect(body['gpu']).toMatchObject(expected);
    if ('pools' in change) expect(body['gpu']).not.toHaveProperty('excludedTypes');
  });
});

describe('deleting an endpoint', () => {
  it('is final: its jobs are cancelled, and its id answers 404 everywhere', async () => {
    const fixture = localFixture();
    const { send } = fixture;
    const id = await create(fixture, { image: 'example/sleep:1', workers: { max: 1 } });
    const job = (await send('POST', `/v2/${id}/run`, { input: { seconds: 60 } })).body['id'] as string;
    const worker = ((await send('GET', `/v2/serverless/${id}/workers`)).body['workers'] as { id: string }[])[0]?.id;
    expect((await send('DELETE', `/v2/serverless/${id}`)).status).toBe(204);
    const requests = [
      `GET /v2/serverless/${id}`,
      `PATCH /v2/serverless/${id}`,
      `DELETE /v2/serverless/${id}`,
      `GET /v2/serverless/${id}/workers`,
      `GET /v2/serverless/${id}/releases`,
      `GET /v2/serverless/${id}/workers/${worker ?? ''}/logs`,
      `POST /v2/${id}/run`,
      `POST /v2/${id}/runsync`,
      `GET /v2/${id}/status/${job}`,
      `GET /v2/${id}/status-sync/${job}`,
      `GET /v2/${id}/stream/${job}`,
      `POST /v2/${id}/cancel/${job}`,
      `POST /v2/${id}/retry/${job}`,
      `POST /v2/${id}/purge-queue`,
      `GET /v2/${id}/health`,
    ];
    for (const request of requests) {
      const [method = '', path = ''] = request.split(' ');
      const answer = await send(method, path, method === 'GET' || method === 'DELETE' ? undefined : { input: {} });
      // A PATCH of these members is refused for its body first.
      expect([request, answer.status]).toEqual([request, method === 'PATCH' ? 422 : 404]);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { EXPIRED_KEY, JOBS_ONLY_KEY, LOCAL_KEY, READ_ONLY_KEY } from '../../../../src/local/http/admission.ts';
import { DroppedConnection } from '../../../../src/local/http/faults.ts';
import { fetchFrom } from '../../../support/local/fetch-from.ts';
import { localFixture, POD_BODY } from '../../../support/local/service-fixture.ts';

describe('keys (specification 5, 7.2)', () => {
  it.each<[string, string | undefined, number, string | undefined]>([
    ['missing', undefined, 401, 'missing bearer token'],
    ['empty', '', 401, 'missing bearer token'],
    ['another scheme', 'Basic dXNlcjpwYXNz', 401, 'malformed bearer token'],
    ['no token', 'Bearer', 401, 'malformed bearer token'],
    ['two tokens', `Bearer ${LOCAL_KEY} more`, 401, 'malformed bearer token'],
    ['odd characters', 'Bearer k"e"y', 401, 'malformed bearer token'],
    ['unknown', 'Bearer nobody', 401, 'invalid bearer token'],
    ['expired', `Bearer ${EXPIRED_KEY}`, 401, 'expired bearer token'],
    ['without access', `Bearer ${JOBS_ONLY_KEY}`, 403, 'access denied'],
    ['read only', `Bearer ${READ_ONLY_KEY}`, 200, undefined],
    ['full, scheme in lower case', `bearer ${LOCAL_KEY}`, 200, undefined],
  ])('%s', async (_, authorization, status, detail) => {
    const { service } = localFixture();
    const answer = await fetchFrom(
      service,
      new Request('http://localhost/v2/pods/pod-train', {
        headers: authorization === undefined ? {} : { Authorization: authorization },
      }),
    );
    const body = (await answer.json()) as { detail?: string; title?: string; status?: string };
    expect([answer.status, body.detail]).toEqual([status, detail]);
    if (status >= 400) {
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      expect(body.title).toBe(status === 401 ? 'Unauthorized' : 'Forbidden');
      expect(body.status).toBe(status);
    }
    expect(answer.headers.has('ratelimit')).toBe(status !== 401);
  });

  it.each([
    ['POST', '/v2/pods'],
    ['DELETE', '/v2/pods/pod-train'],
    ['POST', '/v2/pods/pod-train/action'],
    ['DELETE', '/v2/registries/delegations/dlg-images'],
  ])('a read-only key is refused %s %s', async (method, path) => {
    const { send } = localFixture();
    const answer = await send(method, path, method === 'POST' ? {} : undefined, READ_ONLY_KEY);
    expect([answer.status, answer.body.detail]).toEqual([403, 'access denied']);
  });
});

describe('control operations', () => {
  it.each([
    ['GET', '/local/status'],
    ['POST', '/local/reset'],
    ['GET', '/local/clock'],
    ['POST', '/local/clock'],
    ['GET', '/local/fault'],
    ['POST', '/local/fault'],
    ['DELETE', '/local/fault'],
    ['DELETE', '/local/fault/fault-000001'],
  ])('need the full key: %s %s', async (method, path) => {
    const { send } = localFixture();
    const body = method === 'POST' ? { advanceMs: 1, kind: 'drop' } : undefined;
    expect((await send(method, path, body, null)).status).toBe(401);
    expect((await send(method, path, body, 'guess')).status).toBe(401);
    expect((await send(method, path, body, READ_ONLY_KEY)).status).toBe(403);
    expect((await send('GET', '/local/status')).body).toMatchObject({ advancedMs: 0, faults: [] });
  });
});

describe('unknown paths', () => {
  it.each([
    ['PATCH', '/v2/pods/none', 404, 'pod not found'],
    ['GET', '/v2/pods/__proto__', 404, 'pod not found'],
    ['GET', '/v2/pods/a%2Fb', 404, 'pod not found'],
    ['GET', '/v2/network-volumes/constructor', 404, 'resource not found'],
    ['GET', '/v2/nothing', 404, 'resource not found'],
    ['PUT', '/v2/pods', 405, 'this path answers GET, POST'],
  ])('%s %s', async (method, path, status, detail) => {
    const { send } = localFixture();
    const answer = await send(method, path, method === 'PATCH' ? {} : undefined);
    expect([answer.status, answer.body.detail]).toEqual([status, detail]);
    expect(answer.headers.get('ratelimit')).toMatch(/^"minute";r=999;/);
  });

  it.each(['/v2/echo/nothing', '/v2/nobody/run/x', '/v2/nobody/', '/v2/echo/status/a/b'])(
    'below an endpoint spends nothing of the management windows: %s',
    async (path) => {
      const { send } = localFixture();
      const answer = await send('GET', path);
      expect([answer.status, answer.body, answer.headers.get('ratelimit')]).toEqual([
        404,
        { error: 'resource not found' },
        null,
      ]);
      expect((await send('GET', '/v2/pods')).headers.get('ratelimit')).toMatch(/^"minute";r=999;/);
    },
  );
});

describe('bodies and queries', () => {
  it.each([
    ['nothing', '', 400],
    ['no JSON', '{"name":', 400],
    ['a member too many', '{"name":"v","size":10,"dataCenter":"EU-WEST-1","x":1}', 422],
    ['an integer written as 10.0', '{"name":"v","size":10.0,"dataCenter":"EU-WEST-1"}', 201],
    ['a fraction', '{"name":"v","size":10.5,"dataCenter":"EU-WEST-1"}', 422],
    ['an unknown place', '{"name":"v","size":10,"dataCenter":"MOON-1"}', 400],
    ['a tier that place has not', '{"name":"v","size":10,"dataCenter":"EU-WEST-1","type":"HIGH_PERFORMANCE"}', 400],
  ])('%s', async (_, text, status) => {
    expect((await localFixture().send('POST', '/v2/network-volumes', text)).status).toBe(status);
  });

  it('names the position of a JSON syntax error', async () => {
    const { body } = await localFixture().send('POST', '/v2/pods', '{\n  "name": x}');
    expect(body.detail).toBe('the body is not JSON: line 2, column 11');
  });

  it('names each invalid member of a composed body once', async () => {
    const { body } = await localFixture().send('POST', '/v2/serverless', {
      name: 'e',
      type: 'QUEUE',
      image: 'i',
      scaling: { type: 'QUEUE_DELAY' },
      workers: { min: -1, most: 2 },
      colour: 1,
    });
    expect((body.errors as string[]).toSorted()).toEqual([
      '/colour: unknown member, not allowed',
      '/scaling: missing required member "queueDelay"',
      '/workers/min: must be >= 0',
      '/workers/most: unknown member, not allowed',
    ]);
  });

  it.each([
    ['/v2/catalog/gpus?include=ELSE', 422],
    ['/v2/catalog/gpus?include=AVAILABILITY&product=POD,CLUSTER', 200],
    ['/v2/catalog/gpus?include=AVAILABILITY&product=TOASTER', 422],
    ['/v2/catalog/gpus?include=AVAILABILITY&product=POD&count=0', 422],
    ['/v2/catalog/gpus?include=AVAILABILITY&product=POD&countryCodes=se', 422],
    ['/v2/catalog/gpus?include=AVAILABILITY&product=POD&cudaVersions=12.4&minCudaVersion=12.2', 400],
    ['/v2/catalog/cpus?include=AVAILABILITY&product=POD&vcpuCount=4', 200],
    ['/v2/catalog/datacenters?regions=EUROPE,ASIA&globalNetwork=true', 200],
    ['/v2/catalog/datacenters?regions=MOON', 422],
    ['/v2/catalog/datacenters?regions=', 400],
    ['/v2/catalog/datacenters?regions=EUROPE,', 400],
    ['/v2/catalog/gpus?include=AVAILABILITY&product=', 400],
    ['/v2/catalog/datacenters?compliance=,', 400],
  ])('%s', async (path, status) => {
    expect((await localFixture().send('GET', path)).status).toBe(status);
  });
});

describe('injected faults', () => {
  const add = { method: 'POST', path: '/local/fault' };
  it('answer 429 with its headers', async () => {
    const { send } = localFixture();
    await send(add.method, add.path, { kind: 'rate-limit', count: 1, retryAfter: 7 });
    const answer = await send('GET', '/v2/pods');
    expect([answer.status, answer.headers.get('retry-after'), answer.headers.has('ratelimit-policy')]).toEqual([
      429,
      '7',
      true,
    ]);
    expect((await send('GET', '/v2/pods')).status).toBe(200);
  });

  it('answer 5xx to matching requests until they are cleared', async () => {
    const { send } = localFixture();
    await send(add.method, add.path, { kind: 'server-error', status: 502, match: 'GET /v2/pods' });
    expect((await send('GET', '/v2/pods/pod-train')).status).toBe(502);
    expect((await send('GET', '/v2/network-volumes')).status).toBe(200);
    expect((await send('DELETE', '/local/fault')).status).toBe(204);
    expect((await send('GET', '/v2/pods')).status).toBe(200);
  });

  it('delay the answer by the clock', async () => {
    const { send, clock } = localFixture();
    await send(add.method, add.path, { kind: 'latency', latencyMs: 2500, count: 1 });
    const before = clock.now();
    await send('GET', '/v2/pods');
    expect(clock.now() - before).toBe(2500);
  });

  it.each([
    ['drop', false],
    ['accept-drop', true],
  ])('%s the connection, before or after the request took effect', async (kind, accepted) => {
    const { send } = localFixture();
    await send(add.method, add.path, { kind, count: 1 });
    const body = { name: 'dropped', size: 10, dataCenter: 'EU-WEST-1' };
    const dropped = await send('POST', '/v2/network-volumes', body).catch((error: unknown) => error);
    expect(dropped).toBeInstanceOf(DroppedConnection);
    const { networkVolumes } = (await send('GET', '/v2/network-volumes')).body as {
      networkVolumes: { name: string }[];
    };
    expect(networkVolumes.some(({ name }) => name === 'dropped')).toBe(accepted);
  });
});

describe('control', () => {
  it('resets the resources and the clock', async () => {
    const { send } = localFixture();
    await send('POST', '/v2/pods', POD_BODY);
    await send('POST', '/local/clock', { advanceMs: 5000 });
    expect((await send('GET', '/local/status')).body).toMatchObject({ pods: 9, advancedMs: 5000 });
    expect((await send('POST', '/local/reset')).body).toMatchObject({ pods: 8, advancedMs: 0 });
  });
});

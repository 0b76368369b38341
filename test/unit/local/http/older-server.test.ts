import { describe, expect, it } from 'vitest';
import { localFixture, POD_BODY } from '../../../support/local/service-fixture.ts';

describe('a server of August', () => {
  it('has neither pages, nor arrays, nor sizes of GPU pods in its answers', async () => {
    const { send } = localFixture({ contract: 'august', pageSize: 1 });
    const { body } = await send('GET', '/v2/pods?limit=1&cursor=x');
    const rows = body['pods'] as Readonly<Record<string, unknown>>[];
    expect([rows.length > 3, Object.keys(body)]).toEqual([true, ['pods']]);
    for (const row of rows) expect(Object.keys(row)).not.toEqual(expect.arrayContaining(['cmd']));
    expect(rows.find(({ id }) => id === 'pod-train')?.['gpu']).toEqual({ id: 'GPU-80G', count: 2 });
    for (const path of ['/v2/serverless', '/v2/templates', '/v2/serverless/echo/releases', '/v2/catalog/templates'])
      expect((await send('GET', path)).text).not.toMatch(/"(pagination|cmd|entrypoint)"/);
    expect((await send('GET', '/v2/catalog/gpus')).text).toContain('"memory"');
  });

  it.each([
    ['POST', '/v2/pods', { ...POD_BODY, cmd: ['a'] }, 422],
    ['POST', '/v2/pods', { ...POD_BODY, gpu: { ...POD_BODY.gpu, minRamPerGpu: 1 } }, 422],
    ['POST', '/v2/pods', POD_BODY, 201],
    ['PATCH', '/v2/serverless/echo', { entrypoint: ['a'] }, 422],
    ['GET', '/v2/account/secrets', undefined, 404],
    ['GET', '/v2/serverless/echo/builds', undefined, 404],
    ['POST', '/v1/networkvolumes', { name: 'v', size: 10, dataCenterId: 'EU-WEST-1' }, 201],
  ])('%s %s %j', async (method, path, body, status) => {
    expect((await localFixture({ contract: 'august' }).send(method, path, body)).status).toBe(status);
  });

  it('answers a terminated pod, which nothing can be done with', async () => {
    const { send } = localFixture({ contract: 'august' });
    const { body } = await send('GET', '/v2/pods/pod-terminated');
    expect(body).toMatchObject({ status: 'TERMINATED', actions: [], cost: 0, runtime: null });
    expect((await send('PATCH', '/v2/pods/pod-terminated', { name: 'x' })).status).toBe(409);
    expect((await send('POST', '/v2/pods/pod-terminated/action', { action: 'start' })).status).toBe(409);
    expect((await send('DELETE', '/v2/pods/pod-terminated')).status).toBe(404);
  });

  it('publishes the 53 operations that it has', async () => {
    const { body, text } = await localFixture({ contract: 'august' }).send('GET', '/v2/openapi.json', undefined, null);
    const paths = body['paths'] as Record<string, Record<string, { operationId?: string }>>;
    const ids = Object.values(paths).flatMap((path) =>
      Object.values(path).flatMap(({ operationId }) => operationId ?? []),
    );
    expect(ids).toHaveLength(53);
    expect(text).not.toMatch(/Secret|agination|"cmd"|"cursor"/);
  });
});

describe('the key of a pod (additions 11)', () => {
  const withKey = async (podKeys: 'refused' | 'own') => {
    const { send } = localFixture({ podKeys });
    const key = String((await send('GET', '/local/pods/pod-train/key')).body['key']);
    const statusOf = async (method: string, path: string, body?: object) =>
      (await send(method, path, body, key)).status;
    return [
      await statusOf('GET', '/v2/pods/pod-train'),
      await statusOf('GET', '/v2/pods/pod-web'),
      await statusOf('GET', '/v2/pods'),
      await statusOf('POST', '/v2/pods/pod-train/action', { action: 'restart' }),
      await statusOf('POST', '/v2/pods/pod-train/action', { action: 'stop' }),
      (await send('GET', '/v2/pods', undefined, `${key}x`)).status,
    ];
  };

  it('is refused by the management API', async () => {
    expect(await withKey('refused')).toEqual([403, 403, 403, 403, 403, 401]);
  });

  it('reads and stops its own pod where the service is set to that', async () => {
    expect(await withKey('own')).toEqual([200, 403, 403, 403, 200, 401]);
  });
});

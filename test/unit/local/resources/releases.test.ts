import { describe, expect, it } from 'vitest';
import { localFixture, type LocalFixture } from '../../../support/local/service-fixture.ts';

interface Releases {
  readonly endpointVersion: number;
  readonly rollout: {
    readonly inProgress: boolean;
    readonly workersOnLatest: number;
    readonly workersTotal: number;
    readonly percentOnLatest: number;
  };
  readonly releases: readonly {
    readonly id: string;
    readonly version: number;
    readonly createdAt: string;
    readonly workerCount: number;
    readonly diff: readonly { readonly field: string }[];
  }[];
}

interface Workers {
  readonly endpointVersion: number;
  readonly summary: Readonly<Record<string, number>>;
  readonly workers: readonly {
    readonly id: string;
    readonly status: string;
    readonly isStale: boolean;
    readonly version: number;
    readonly image: string;
  }[];
}

const releasesOf = async ({ send }: LocalFixture, id: string) =>
  (await send('GET', `/v2/serverless/${id}/releases`)).body as unknown as Releases;
const workersOf = async ({ send }: LocalFixture, id: string) =>
  (await send('GET', `/v2/serverless/${id}/workers`)).body as unknown as Workers;
const change = async ({ send }: LocalFixture, id: string, body: object): Promise<void> => {
  expect((await send('PATCH', `/v2/serverless/${id}`, body)).status).toBe(200);
};

describe('releases', () => {
  it('an endpoint begins with version 1, one release and nothing to roll out', async () => {
    const releases = await releasesOf(localFixture(), 'echo');
    expect(releases).toMatchObject({
      endpointVersion: 1,
      rollout: { inProgress: false, workersOnLatest: 0, workersTotal: 0, percentOnLatest: 100 },
      releases: [{ version: 1, workerCount: 0, source: 'MANUAL', buildId: null, diff: [] }],
    });
  });

  it('newest first, each with what differs, field by field', async () => {
    const fixture = localFixture();
    await change(fixture, 'echo', { image: 'example/echo:2', env: { A: '1' } });
    fixture.clock.advance(1000);
    await change(fixture, 'echo', { ports: ['80/http'], env: { A: '1' }, image: 'example/echo:2' });
    const { releases, endpointVersion } = await releasesOf(fixture, 'echo');
    expect(endpointVersion).toBe(3);
    expect(releases.map(({ version, createdAt, diff }) => ({ version, createdAt, diff }))).toEqual([
      { version: 3, createdAt: '2026-01-01T00:00:01.000Z', diff: [{ field: 'ports', old: [], new: ['80/http'] }] },
      {
        version: 2,
        createdAt: '2026-01-01T00:00:00.000Z',
        diff: [
          { field: 'env', old: {}, new: { A: '1' } },
          { field: 'image', old: 'example/echo:1.0', new: 'example/echo:2' },
        ],
      },
      { version: 1, createdAt: '2025-12-31T00:00:00.000Z', diff: [] },
    ]);
    expect(new Set(releases.map(({ id }) => id)).size).toBe(3);
  });

  it.each([
    [{ workers: { min: 1, max: 9 } }, 1],
    [{ scaling: { type: 'REQUEST_COUNT', requestCount: 2 } }, 1],
    [{ name: 'other', timeout: 1000, flashboot: 'FLASHBOOT' }, 1],
    [{ cpu: [{ id: 'cpu-general', vcpuCount: 4 }] }, 1],
    [{ image: 'example/echo:1.0', args: '', env: {} }, 1],
    [{}, 1],
    [{ image: 'x' }, 2],
    [{ args: 'x' }, 2],
    [{ disk: 21 }, 2],
    [{ registry: 'reg-team' }, 2],
    [{ templateId: 'tpl-worker' }, 2],
  ])('%j leads to version %i', async (body, version) => {
    const fixture = localFixture();
    await change(fixture, 'echo', body);
    expect((await releasesOf(fixture, 'echo')).endpointVersion).toBe(version);
  });
});

describe('workers roll over to the newest version by the clock', () => {
  it('one by one, each when the one before has its replacement', async () => {
    const fixture = localFixture();
    await change(fixture, 'echo', { workers: { min: 3 } });
    fixture.clock.advance(1000);
    expect((await workersOf(fixture, 'echo')).summary).toMatchObject({ idle: 3, total: 3 });
    await change(fixture, 'echo', { image: 'example/echo:2' });
    const seen = [];
    for (let second = 0; second < 4; second++) {
      const { rollout } = await releasesOf(fixture, 'echo');
      seen.push([rollout.workersOnLatest, rollout.workersTotal, rollout.percentOnLatest, rollout.inProgress]);
      fixture.clock.advance(1000);
    }
    expect(seen).toEqual([
      [1, 3, 33, true],
      [2, 3, 66, true],
      [3, 3, 100, false],
      [3, 3, 100, false],
    ]);
    const { workers } = await workersOf(fixture, 'echo');
    expect(workers.map(({ version, image, isStale }) => [version, image, isStale])).toEqual(
      Array(3).fill([2, 'example/echo:2', false]),
    );
  });

  it('a worker with a job in hand is stale and finishes it first', async () => {
    const fixture = localFixture();
    const job = (await fixture.send('POST', '/v2/sleep/run', { input: { seconds: 30 } })).body['id'] as string;
    fixture.clock.advance(2000);
    await change(fixture, 'sleep', { image: 'example/sleep:2', workers: { min: 1 } });
    fixture.clock.advance(20_000);
    expect(await workersOf(fixture, 'sleep')).toMatchObject({
      endpointVersion: 2,
      summary: { running: 1, idle: 0, initializing: 0, throttled: 0, unhealthy: 0, total: 1 },
      workers: [{ status: 'RUNNING', isStale: true, version: 1, image: 'example/sleep:1.0', uptimeSeconds: 22 }],
    });
    expect(await releasesOf(fixture, 'sleep')).toMatchObject({
      rollout: { inProgress: true, workersOnLatest: 0, workersTotal: 1, percentOnLatest: 0 },
      releases: [{ workerCount: 0 }, { workerCount: 1 }],
    });
    fixture.clock.advance(9000);
    expect((await fixture.send('GET', `/v2/sleep/status/${job}`)).body).toMatchObject({ status: 'COMPLETED' });
    expect((await workersOf(fixture, 'sleep')).workers).toMatchObject([{ status: 'INITIALIZING', isStale: false }]);
  });
});

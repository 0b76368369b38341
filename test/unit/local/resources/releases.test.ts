import fc from 'fast-check';
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

  it('the oldest releases are removed', async () => {
    const fixture = localFixture();
    for (let disk = 100; disk < 205; disk++) await change(fixture, 'echo', { disk });
    const { releases } = await releasesOf(fixture, 'echo');
    expect([releases.length, releases[0]?.version, releases.at(-1)?.version]).toEqual([100, 106, 7]);
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

  it('idle workers that are not needed are removed without a replacement', async () => {
    const fixture = localFixture();
    await fixture.send('POST', '/v2/echo/runsync', { input: {} });
    await change(fixture, 'echo', { image: 'example/echo:2' });
    expect((await workersOf(fixture, 'echo')).workers).toEqual([]);
  });

  const step = fc.oneof(
    fc.record({ seconds: fc.integer({ min: 0, max: 90 }) }),
    fc.record({ jobs: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ disk: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ min: fc.integer({ min: 0, max: 3 }) }),
  );

  it('after any events, the counts agree and all workers reach the newest version', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const fixture = localFixture({ quota: { minute: 1_000_000 } });
        for (const what of steps) {
          if ('seconds' in what) fixture.clock.advance(what.seconds * 1000);
          else if ('disk' in what) await change(fixture, 'sleep', { disk: what.disk });
          else if ('min' in what) await change(fixture, 'sleep', { workers: { min: what.min } });
          else
            for (let job = 0; job < what.jobs; job++)
              await fixture.send('POST', '/v2/sleep/run', { input: { seconds: 20 } });
          await expectAgreement(fixture);
        }
        fixture.clock.advance(3_600_000);
        const { rollout } = await expectAgreement(fixture);
        expect(rollout).toMatchObject({ inProgress: false, percentOnLatest: 100 });
      }),
      { numRuns: 40 },
    );
  });
});

/** What must hold of an endpoint's releases and workers at any one moment. */
async function expectAgreement(fixture: LocalFixture): Promise<Releases> {
  const releases = await releasesOf(fixture, 'sleep');
  const { workers, summary, endpointVersion } = await workersOf(fixture, 'sleep');
  const { rollout } = releases;
  expect(releases.endpointVersion).toBe(endpointVersion);
  expect(releases.releases.map(({ version }) => version)).toEqual(
    Array.from({ length: endpointVersion }, (_, index) => endpointVersion - index),
  );
  const fresh = workers.filter(({ isStale }) => !isStale);
  expect(fresh.every(({ version }) => version === endpointVersion)).toBe(true);
  expect(rollout.workersTotal).toBe(workers.length);
  expect(rollout.workersOnLatest).toBe(fresh.length);
  expect(rollout.inProgress).toBe(fresh.length < workers.length);
  expect(rollout.percentOnLatest === 100).toBe(!rollout.inProgress);
  expect(releases.releases.map(({ workerCount }) => workerCount).reduce((a, b) => a + b, 0)).toBe(workers.length);
  const { total = -1, ...each } = summary;
  expect(Object.values(each).reduce((a, b) => a + b, 0)).toBe(total);
  expect(total).toBe(workers.length);
  return releases;
}

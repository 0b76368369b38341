import { expect, test } from 'vitest';
import { berth, cleanEnvironment } from './support.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}
interface Job {
  readonly id: string;
  readonly status: string;
  readonly output?: unknown;
}
interface Worker {
  readonly id: string;
  readonly isStale: boolean;
  readonly image: string;
}
interface Releases {
  readonly endpointVersion: number;
  readonly rollout: { readonly inProgress: boolean; readonly workersOnLatest: number; readonly workersTotal: number };
  readonly releases: readonly { readonly version: number; readonly diff: readonly unknown[] }[];
}
interface Bill {
  readonly records: readonly { readonly serverlessId: string; readonly totalAmount: number }[];
}

/**
 * berth on the local service of one data folder, each line a process of its own: the one JSON document that it printed.
 * What deletes prints nothing. What is said to a person is no data.
 */
async function walker() {
  const env = await cleanEnvironment({ BERTH_LOCAL: '1' });
  return async <T>(...argv: readonly string[]): Promise<T> => {
    const { code, stdout, stderr } = await berth([...argv, '--json'], { env });
    expect({ argv, code, stderr }).toEqual({ argv, code: 0, stderr });
    expect(stderr).not.toMatch(/^\s*["[\]{}]/m);
    return (stdout === '' ? undefined : JSON.parse(stdout)) as T;
  };
}

test('from a template to a bill: an endpoint, its jobs, a new image that rolls out, logs, and nothing left', async () => {
  const walk = await walker();
  const before = [await walk<Named[]>('templates', 'list'), await walk<Named[]>('endpoints', 'list')];

  const template = await walk<Named>(
    ...['templates', 'create', '--name', 'naps', '--image', 'example/sleep:1', '--serverless', '--env', 'A=1'],
  );
  const endpoint = await walk<Named & { readonly env: unknown; readonly image: string }>(
    ...['endpoints', 'create', '--name', 'naps', '--template', 'naps', '--gpu-pool', 'POOL-24G', '--workers-min', '1'],
  );
  expect(endpoint).toMatchObject({ name: 'naps', image: 'example/sleep:1', env: { A: '1' } });
  await walk('local', 'clock', 'advance', '1m');

  const short = await walk<Job>('jobs', 'run', 'naps', '--input', '{"seconds":0.05}', '--wait');
  expect(short).toMatchObject({ status: 'COMPLETED' });
  const long = await walk<Job>('jobs', 'run', endpoint.id, '--input', '{"seconds":300}');
  expect(await walk<Job>('jobs', 'status', endpoint.id, long.id)).toMatchObject({ status: 'IN_PROGRESS' });

  // The worker at work on the old image finishes first: the rollout can be watched.
  expect(await walk('endpoints', 'update', 'naps', '--image', 'example/sleep:2')).toMatchObject({
    image: 'example/sleep:2',
  });
  const under = await walk<Releases>('endpoints', 'releases', 'naps');
  expect(under).toMatchObject({ endpointVersion: 2, rollout: { inProgress: true } });
  expect(under.releases[0]).toMatchObject({
    version: 2,
    diff: [{ field: 'image', old: 'example/sleep:1', new: 'example/sleep:2' }],
  });
  const stale = (await walk<Worker[]>('endpoints', 'workers', 'naps')).filter(({ isStale }) => isStale);
  expect(stale).toMatchObject([{ image: 'example/sleep:1' }]);
  const lines = await walk<{ line: string }[]>('endpoints', 'logs', 'naps', stale[0]?.id ?? '');
  expect(lines.map(({ line }) => line)).toEqual(
    expect.arrayContaining([expect.stringContaining('example/sleep:1'), expect.stringContaining(long.id)]),
  );

  await walk('local', 'clock', 'advance', '6m');
  expect(await walk<Job>('jobs', 'wait', endpoint.id, long.id)).toMatchObject({ status: 'COMPLETED' });
  const over = await walk<Releases>('endpoints', 'releases', 'naps', '--wait');
  expect(over.rollout).toMatchObject({ inProgress: false, workersOnLatest: over.rollout.workersTotal });
  const fresh = await walk<Worker[]>('endpoints', 'workers', 'naps');
  expect(fresh.map(({ isStale, image }) => [isStale, image])).toEqual([[false, 'example/sleep:2']]);

  await walk('local', 'clock', 'advance', '1h');
  const { records } = await walk<Bill>('billing', 'summary', '--by', 'endpoint', '--last', '2', '--id', 'naps');
  expect(records.reduce((sum, { totalAmount }) => sum + totalAmount, 0)).toBeGreaterThan(1);
  expect(new Set(records.map(({ serverlessId }) => serverlessId))).toEqual(new Set([endpoint.id]));

  expect(await walk('endpoints', 'delete', 'naps', '--yes')).toMatchObject([
    { id: endpoint.id, name: 'naps', ok: true },
  ]);
  expect(await walk('templates', 'delete', template.id, '--yes')).toMatchObject([{ id: template.id, ok: true }]);
  expect([await walk<Named[]>('templates', 'list'), await walk<Named[]>('endpoints', 'list')]).toEqual(before);
});

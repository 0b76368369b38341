/** Workers that run when the hardware of their endpoint changes: they stay, and every command that names a price says so. */
import { expect, test } from 'vitest';
import { inWorld, plan, rows, run } from '../../../support/worlds/plan-runs.ts';

const CREATE = 'endpoints create --name api --image a/b:1 --gpu-pool POOL-80G --workers-min 1 --yes'.split(' ');
const endpointOf = (pool: string, more = ''): string =>
  `kind: endpoint\nname: api\nimage: a/b:1\ngpu: { pools: [${pool}] }\nworkers: { min: 1 }\n${more}`;
const KEPT = '1 worker that runs now keeps its hardware until it stops, at $4.18 an hour; one that starts later costs ';

/** A world with an endpoint whose worker runs on 80 GB. */
async function withWorker() {
  const world = inWorld();
  expect((await run(world, CREATE)).code).toBe(0);
  await run(world, ['local', 'clock', 'advance', '5s']);
  return world;
}

test('an update says what the worker that runs goes on costing, and how it is replaced', async () => {
  const world = await withWorker();
  for (const flags of [['--dry-run'], []]) {
    const { code, err } = await run(world, ['endpoints', 'update', 'api', '--gpu-pool', 'POOL-48G', ...flags]);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('1 ($4.18 an hour, $3051.40 a month) to 1 ($4.18 an hour, $3051.40 a month).'),
    ]);
    expect(err).toContain(`${KEPT}$1.90 an hour.`);
    expect(err).toMatch(/To replace what runs now: berth --local endpoints update \S+ --workers-min 0, and/);
  }
  await run(world, ['local', 'clock', 'advance', '1h']);
  expect((await run(world, ['top', 'endpoints', '--once'])).out).toContain('$4.18/h');
  expect((await plan(world, endpointOf('POOL-48G'))).err).toContain(`Endpoint api: ${KEPT}$1.90 an hour.`);
  expect(await rows(world, endpointOf('POOL-48G'))).toMatchObject([
    { action: 'none', costBefore: 4.18, costAfter: 4.18 },
  ]);
  const none = await run(world, ['endpoints', 'update', 'api', '--workers-min', '0']);
  expect(none.err).toContain('1 ($4.18 an hour, $3051.40 a month) to 0 ($0.00 an hour, $0.00 a month).');
  await run(world, ['local', 'clock', 'advance', '1m']);
  const again = await run(world, ['endpoints', 'update', 'api', '--workers-min', '1']);
  expect(again.err).toContain('0 ($0.00 an hour, $0.00 a month) to 1 ($1.90 an hour');
  expect(again.err).not.toContain('keeps its hardware');
  await run(world, ['local', 'clock', 'advance', '5s']);
  expect((await run(world, ['top', 'endpoints', '--once'])).out).toContain('$1.90/h');
});

test('a plan and its apply have the price of the worker that stays', async () => {
  const world = await withWorker();
  expect(await rows(world, endpointOf('POOL-48G'))).toMatchObject([
    { action: 'update', costBefore: 4.18, costAfter: 4.18 },
  ]);
  const applied = await run(world, ['apply', 'fleet.yaml', '--yes']);
  expect([applied.code, applied.err]).toEqual([0, expect.stringContaining(`Endpoint api: ${KEPT}$1.90 an hour.`)]);
  expect(applied.err).toContain('They cost $4.18 an hour before, and $4.18 an hour after.');
});

test('a change that makes a release too replaces the worker', async () => {
  const world = await withWorker();
  expect(await rows(world, endpointOf('POOL-48G', 'env: { A: b }\n'))).toMatchObject([
    { costBefore: 4.18, costAfter: 1.9 },
  ]);
  const flags = ['--gpu-pool', 'POOL-48G', '--image', 'a/b:2'];
  const { code, err } = await run(world, ['endpoints', 'update', 'api', ...flags]);
  expect([code, err]).toEqual([0, expect.stringMatching(/1 \(\$4\.18 an hour.*\) to 1 \(\$1\.90 an hour/)]);
  expect(err).not.toContain('keeps its hardware');
});

test('where the hardware of the workers is not known, the update says that they may keep it', async () => {
  const world = inWorld();
  const create = 'endpoints create --name api --image a/b:1 --cpu cpu-general:4 --workers-min 1 --yes'.split(' ');
  expect((await run(world, create)).code).toBe(0);
  const { code, err } = await run(world, ['endpoints', 'update', 'api', '--cpu', 'cpu-general:8']);
  expect([code, err]).toEqual([
    0,
    expect.stringContaining('Workers that run now may keep their hardware, and its price, until they stop.'),
  ]);
});

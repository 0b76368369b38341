/** Workers that run when the hardware of their endpoint changes: they stay, and every command that names a price says so. */
import { expect, test } from 'vitest';
import { inWorld, rows, run } from '../../../support/worlds/plan-runs.ts';

const CREATE = 'endpoints create --name api --image a/b:1 --gpu-pool POOL-80G --workers-min 1'.split(' ');
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
});

/** What an apply says that made a part: of waits that ended, and of a refusal beside what was made. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inWorld, run } from '../../../support/worlds/plan-runs.ts';

const pod = (name: string, image = 'a/b:1', count = 1) =>
  `kind: pod\nname: ${name}\nimage: ${image}\ngpu: {id: GPU-24G, count: ${String(count)}}\n`;

async function applyIn(world: ReturnType<typeof inWorld>, documents: readonly string[], ...flags: readonly string[]) {
  writeFileSync(path.join(world.directory, 'fleet.yaml'), documents.join('---\n'));
  return await run(world, ['apply', 'fleet.yaml', '--yes', ...flags]);
}

test('a pod that cannot start ends 10, also in an apply that is run again', async () => {
  const world = inWorld();
  const documents = [pod('bad', 'example/does-not-start:latest'), pod('good')];
  const first = await applyIn(world, documents, '--wait');
  expect([first.code, first.err]).toEqual([10, expect.stringMatching(/pods explain pod-/)]);
  const again = await applyIn(world, documents, '--wait');
  expect([again.code, again.out]).toEqual([10, expect.stringContaining('is ERROR')]);
  expect((await applyIn(world, documents)).code).toBe(0);
});

test('an apply that is run again waits for what is not ready since the one before', async () => {
  const world = inWorld();
  const documents = [
    pod('a'),
    'kind: endpoint\nname: e\nimage: a/b:1\ngpu: {pools: [POOL-24G]}\nworkers: {min: 1, max: 2}\n',
  ];
  expect((await applyIn(world, documents)).code).toBe(0);
  const ran = await applyIn(world, documents, '--wait');
  expect([ran.code, ran.err]).toEqual([0, ran.err]);
  expect((await run(world, ['pods', 'get', 'a', '--json'])).out).toContain('"status": "RUNNING"');
});

import { expect, test } from 'vitest';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS, type TestWorld } from '../../../support/worlds/test-world.ts';

const LOCAL = { env: { BERTH_LOCAL: '1' } };

async function answer(world: TestWorld, question: string, ...keys: readonly string[]): Promise<void> {
  while (!world.err().includes(question)) await new Promise(setImmediate);
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  await world.type(...keys);
}

test.each([
  [['volumes', 'create', '--name', 'a'], 'Size in GB', '5', 'the size is at least 10 GB; 5 is too small'],
  [['volumes', 'create', '--name', 'a'], 'Size in GB', '5000', 'the size is at most 4096 GB; 5000 GB is beyond 4 TB'],
  [
    [...'clusters create --name c --type RAY --gpu GPU-80G --gpu-count 1 --image i'.split(' ')],
    'Pods (2 to 250)',
    '1',
    'the number of pods: a cluster has 2 to 250 pods; 1 is not among them',
  ],
])('an answer out of bounds is refused by its question: %j %s %s', async (argv, question, text, refusal) => {
  const world = createTestWorld({ ...LOCAL, tty: true, columns: 200 });
  const running = berthIn(world, argv);
  await answer(world, question, text, KEYS.enter);
  await answer(world, refusal, KEYS.ctrlC);
  expect([(await running).code, world.err().includes('Data center')]).toEqual([130, false]);
});

import { expect, test } from 'vitest';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

/** The printed views are kept as golden files, so that a change of them is visible in a diff. */
test.each<[string, readonly string[], number | undefined]>([
  ['list-60', ['list'], 60],
  ['list-120', ['list'], 120],
  ['list-wide-200', ['list', '-o', 'wide'], 200],
  ['list-plain', ['list', '--status', 'RUNNING,ERROR'], undefined],
  ['get-gpu-80', ['get', 'pod-train'], 80],
  ['get-gpu-plain', ['get', 'pod-train'], undefined],
  ['get-cpu-80', ['get', 'pod-starting'], 80],
  ['logs', ['logs', 'pod-broken', '--tail', '5'], 80],
])('%s', async (name, argv, columns) => {
  const terminal = columns === undefined ? {} : { tty: { stdout: true }, columns, env: { NO_COLOR: '1' } };
  const world = createTestWorld(terminal);
  await berthIn(world, ['--local', 'local', 'reset', '--seed', 'odd', '--yes']);
  const { code, out } = await berthIn(world, ['--local', 'pods', ...argv]);
  expect(code).toBe(0);
  await expect(out).toMatchFileSnapshot(`../../../golden/pods/${name}.txt`);
});

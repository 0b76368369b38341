import { expect, test } from 'vitest';
import { berth } from '../../../support/worlds/run-berth.ts';

test.each([
  [['pods', 'stop', 'pod-train', '--dry-run']],
  [['pods', 'stop', 'pod-train', 'pod-notebook', '--dry-run']],
  [['queue', 'purge', 'demo', '--yes', '--dry-run']],
])('-o id prints no line for a row without an id: %j', async (argv) => {
  const { code, out } = await berth(['--local', ...argv, '-o', 'id']);
  expect([code, out]).toEqual([0, '']);
});

test('-o id prints one line for each id, and each row of --fields a line also where it is empty', async () => {
  const ids = await berth(['--local', 'pods', 'list', '--match', 'train-*', '-o', 'id']);
  expect(ids.out).toBe('pod-train\n');
  const fields = await berth(['--local', 'pods', 'list', '--match', 'train-*', '-o', 'id', '--fields', 'template']);
  expect(fields.out).toBe('\n');
});

import { expect, test } from 'vitest';
import { berth } from '../../../support/worlds/run-berth.ts';

test.each([
  [['api', 'GET', '/v2/pods', '-H', 'X-Trace: a', '-H', 'x-trace: b'], '--header gives x-trace twice'],
  [['local', 'exec', '--quota', 'minute=1,minute=2', '--', 'true'], '--quota gives minute twice'],
  [['local', 'exec', '--endpoint', 'a=./x.mjs', '--endpoint', 'a=./y.mjs', '--', 'true'], '--endpoint gives a twice'],
])('a name that has one value is given two: %j is refused', async (argv, says) => {
  const { code, err } = await berth(['--local', ...argv]);
  expect([code, err]).toEqual([2, expect.stringContaining(says)]);
});

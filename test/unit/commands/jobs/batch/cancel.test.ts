import { expect, test } from 'vitest';
import { items, write } from '../../../../support/batch/command-fixture.ts';
import { createAutoAdvancingClock } from '../../../../support/clocks/auto-advancing-clock.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../../support/worlds/test-world.ts';

test('jobs batch cancel cancels what is in flight, after a question, and a resume records it', async () => {
  const clock = createAutoAdvancingClock();
  const world = createTestWorld({ clock });
  write(world, 'in.jsonl', items(3, ',"seconds":3600'));
  const local = (...argv: readonly string[]) => berthIn(world, ['--local', 'jobs', 'batch', ...argv]);
  const out = ['--input', 'in.jsonl', '--out', 'out.jsonl'];
  expect((await local('run', 'sleep', ...out, '--max-time', '30s')).code).toBe(9);
  // The clock stands still meanwhile, so that the jobs go on.
  expect(await clock.during(local('cancel', 'out.jsonl'))).toMatchObject({
    code: 2,
    err: expect.stringContaining('--yes') as string,
  });
  const ran = await clock.during(local('cancel', 'out.jsonl', '--yes', '--json'));
  expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('jobs batch resume out.jsonl')]);
  expect(JSON.parse(ran.out)).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
  const resumed = await local('resume', 'out.jsonl', '--json', '--max-time', '1m');
  expect([resumed.code, JSON.parse(resumed.out)]).toMatchObject([13, { cancelled: 3 }]);
});

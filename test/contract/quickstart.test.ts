import { expect, test } from 'vitest';
import { TOUR } from '../../scripts/quickstart-tour.mjs';
import { createAutoAdvancingClock } from '../support/clocks/auto-advancing-clock.ts';
import { berthIn } from '../support/worlds/run-berth.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';

test('each step of the quickstart ends as it says, and the purge leaves the jobs that run', async () => {
  const world = createTestWorld({ clock: createAutoAdvancingClock() });
  const purges: unknown[] = [];
  for (const { words, code } of TOUR.flatMap(({ commands }) => commands)) {
    const ran = await berthIn(world, ['--local', ...words]);
    expect(ran.code, `berth ${words.join(' ')}\n${ran.err}`).toBe(code);
    if (words[1] === 'purge') purges.push(JSON.parse(ran.out));
  }
  expect(purges).toMatchObject([{ removed: 2 }]);
});

import { expect, test } from 'vitest';
import { tour } from '../../scripts/quickstart-tour.mjs';
import { createAutoAdvancingClock } from '../support/clocks/auto-advancing-clock.ts';
import { berthIn } from '../support/worlds/run-berth.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';

test('each step of the quickstart ends as it says, and the purge leaves the jobs that run', async () => {
  const world = createTestWorld({ clock: createAutoAdvancingClock() });
  const said: string[] = [];
  const purges: unknown[] = [];
  const run = async (words: readonly string[], code = 0): Promise<string> => {
    const ran = await berthIn(world, ['--local', ...words]);
    expect(ran.code, `berth ${words.join(' ')}\n${ran.err}`).toBe(code);
    if (words[1] === 'purge') purges.push(JSON.parse(ran.out));
    return ran.out;
  };
  await tour({ berth: run, read: run }, (text) => said.push(text));
  expect(said.at(-1)).toBe('More jobs than workers: the purge removes those that wait, and those that run go on');
  expect(purges).toMatchObject([{ removed: 2 }]);
});

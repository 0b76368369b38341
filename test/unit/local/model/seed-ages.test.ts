import { expect, test } from 'vitest';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

/** The rows of a list, without those whose age is in seconds or minutes: they are meant to change. */
const settled = (text: string): readonly string[] => text.split('\n').filter((line) => !/\t\d+[ms]/.test(line));

test.each(['pods', 'registries delegations'])(
  'a new account lists its %s with the same ages for a minute, wherever in a second it begins',
  async (noun) => {
    const seen = new Set<string>();
    for (const milliseconds of [0, 999]) {
      const clock = createTestClock(NOON + milliseconds);
      const world = createTestWorld({ clock });
      for (const later of [0, 1, 58_000]) {
        clock.advance(later);
        const { code, out } = await berthIn(world, ['--local', ...noun.split(' '), 'list']);
        expect(code).toBe(0);
        seen.add(settled(out).join('\n'));
      }
    }
    expect([...seen]).toHaveLength(1);
  },
);

import { expect, it } from 'vitest';
import { createTally } from '../../../../src/commands/files/progress.ts';
import type { CommandContext } from '../../../../src/cli/model/context.ts';

const MB = 1_000_000;

/** A tally whose clock is at `now.ms`. */
function start(dryRun = false) {
  const now = { ms: 0 };
  const clock = { monotonic: () => now.ms } as CommandContext['clock'];
  return { now, tally: createTally({ clock, dryRun }) };
}

const large = { from: 'large', bytes: 60 * MB };
const small = { from: 'small', bytes: 10 * MB };

it('the progress has files, bytes, rate, time left, and the largest file that is under way', () => {
  const { now, tally } = start();
  tally.expect(3, 100 * MB);
  tally.arrived(10 * MB, small);
  tally.add({ ...small, to: 'x', failure: undefined });
  tally.arrived(10 * MB, large);
  tally.arrived(5 * MB, { from: 'other', bytes: 30 * MB });
  now.ms = 5000;
  expect(tally.progress()).toBe('1 of 3 files, 25 MB of 100 MB in 5s (5 MB/s), 15s left; large 10 MB of 60 MB');
});

it('the progress names neither a whole nor a time left where they are not known', () => {
  const { now, tally } = start();
  tally.arrived(10 * MB, small);
  tally.add({ ...small, to: 'x', failure: undefined });
  now.ms = 1000;
  expect(tally.progress()).toBe('1 file, 10 MB in 1s (10 MB/s)');
});

it('a file that failed is no longer under way', () => {
  const { tally } = start();
  tally.arrived(MB, large);
  expect(tally.progress()).toContain('large 1 MB of 60 MB');
  tally.add({ ...large, to: 'x', failure: undefined });
  expect(tally.progress()).not.toContain('large');
});

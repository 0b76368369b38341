import { describe, expect, test } from 'vitest';
import { createRateMeter } from '../../../../../src/commands/batch/progress.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { items, local, createBatchWorld, RUN, write } from '../../../../support/batch/command-fixture.ts';

/** What a meter says at each second of a batch in which `ended` items have ended by then. */
const measured = (seconds: number, ended: (second: number) => number): readonly (number | undefined)[] => {
  const meter = createRateMeter();
  return Array.from({ length: seconds + 1 }, (_, second) => meter(second * 1000, Math.floor(ended(second))));
};

test.each<readonly [string, number, (second: number) => number, number | undefined]>([
  ['without the start of the workers', 80, (second) => Math.max(0, (second - 20) * 3), 3],
  ['of a service that became faster', 200, (second) => (second < 100 ? second : 100 + (second - 100) * 10), 10],
  ['of slow items', 7200, (second) => second / 60, 1 / 60],
  ['not after few items', 9, (second) => second * 0.5, undefined],
  ['not after a second', 1, (second) => second * 100, undefined],
])('the rate is that of the last items, %s', (_, seconds, ended, rate) => {
  const measuredRate = measured(seconds, ended).at(-1);
  if (rate === undefined) expect(measuredRate).toBeUndefined();
  else expect(measuredRate).toBeCloseTo(rate, rate < 1 ? 2 : 0);
});

describe('the progress of a batch', () => {
  test('is printed in lines, with the time left once the rate is steady', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(150));
    const ran = await berthIn(world, ['jobs', 'batch', 'run', 'demo', ...RUN.slice(4)]);
    const said = ran.err.split('\n').slice(0, -1);
    expect(said.length).toBeGreaterThan(2);
    // On a slow machine the first line may come before the first result.
    for (const line of said) expect(line).toMatch(/^\d+ of 150 {2}\d+ (done|in flight)/);
    expect(said.at(-1)).toMatch(/ done/);
    expect(ran.err).toMatch(/in flight(, \d+ waiting)? {2}[\d.]+\/s {2}[\dms ]+ left/);
  });

  test.each([
    ['in lines', {}, /^\d+ of 5 .*no success for \d+s: the service answered 503/m],
    [
      'beside the bar',
      { tty: { stderr: true }, columns: 100 },
      /░ \d+% .*no success for \d+s: the service answered 503/,
    ],
  ])('says why no item succeeds: %s', async (_, options, said) => {
    const world = await createBatchWorld(options);
    write(world, 'in.jsonl', items(5));
    await local(world, 'fault', 'add', 'server-error', '--match', 'GET /v2/echo/status');
    const ran = await berthIn(world, [...RUN, '--max-time', '1m']);
    expect(ran.code).toBe(9);
    expect(ran.err).toMatch(said);
  });
});

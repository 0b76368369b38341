import { describe, expect, test } from 'vitest';
import { COUNT, createPlace, doIn, expectWhole, type Place } from '../../../../support/batch/batch-place.ts';
import type { Ran } from '../../../../support/worlds/run-berth.ts';

/** While a batch is worked on: what a command for the same place does, by its exit code. */
type Meanwhile = readonly [what: string, exit: number, command: (place: Place) => Promise<Ran>];

/** Runs batch one, and the command when its fourth request arrives. The batch must end as if nothing had happened. */
async function during(place: Place, [, exit, command]: Meanwhile): Promise<void> {
  let requests = 0;
  const meanwhile: { ran?: Ran } = {};
  place.service.onRequest = async () => {
    requests += 1;
    if (requests === 4) meanwhile.ran = await command(place);
  };
  const ran = await doIn(place, 'one', 'run');
  expect([meanwhile.ran?.code, ran.code], `${String(meanwhile.ran?.err)} ${ran.err}`).toEqual([exit, 0]);
  expect(place.service.jobs).toHaveLength(COUNT);
  await expectWhole(place, 'one');
}

describe('a batch at a results file that is worked on', () => {
  test.each<Meanwhile>([
    ['another batch', 14, (place) => doIn(place, 'two', 'run')],
    ['a resume', 14, (place) => doIn(place, 'one', 'resume')],
  ])('is not touched by %s', async (...meanwhile) => {
    await during(await createPlace(), meanwhile);
  });
});

import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COUNT, createPlace, doIn, expectWhole, killedRun, type Place } from '../../../../support/batch/batch-place.ts';
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
    ['a removal', 2, (place) => doIn(place, 'one', 'remove')],
    ['a resume', 14, (place) => doIn(place, 'one', 'resume')],
  ])('is not touched by %s', async (...meanwhile) => {
    await during(await createPlace(), meanwhile);
  });
});

/** Items are sent one after the other: a batch that is killed has some that were not. */
const slowly = (place: Place): Place => ({ ...place, flags: ['--in-flight', '1'] });

const LOCK = 'r.jsonl.journal.lock';

test('a resume sends nothing of a batch that took the place of its own, at whatever moment that was', async () => {
  const place = slowly(await createPlace());
  const { world, service } = place;
  const folder = join(world.directory, 'results');
  const [first, second] = ['first', 'second'].map((name) => join(world.directory, name)) as [string, string];
  for (const [name, kept] of [
    ['two', second],
    ['one', first],
  ] as const) {
    expect((await killedRun(place, name, 2)).killed).toBe(true);
    rmSync(join(folder, LOCK), { recursive: true });
    renameSync(folder, kept);
    mkdirSync(folder);
  }
  const sent = service.jobs.length;
  const swap = (from: string): void => {
    rmSync(folder, { recursive: true, force: true });
    cpSync(from, folder, { recursive: true });
  };
  let swaps = 0;
  for (let moment = 1; moment === 1 || swaps === moment - 1; moment++) {
    swap(first);
    let moments = 0;
    // Dates are asked for at many places. With the lock, no other process removes the batch any more.
    const now = (): number => {
      moments += 1;
      if (moments === moment && !readdirSync(folder).some((entry) => entry.startsWith(LOCK))) {
        swap(second);
        swaps += 1;
      }
      return world.clock.now();
    };
    const ran = await doIn({ ...place, world: { ...world, clock: { ...world.clock, now } } }, 'one', 'resume');
    if (swaps < moment) break;
    // Before it has looked, it resumes the other one.
    expect([0, 14], ran.err).toContain(ran.code);
    expect(service.jobs.slice(sent).filter(({ endpoint }) => endpoint === 'one')).toEqual([]);
    await expectWhole(place, 'two');
  }
  expect(swaps).toBeGreaterThan(0);
});

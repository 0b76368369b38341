import type { Resubmit } from '../../../../src/batch/model/batch.ts';
import { describe, expect, test } from 'vitest';
import { replayJournal } from '../../../../src/batch/store/replay.ts';
import { journalMismatches } from '../../../support/batch/check-journal.ts';
import {
  afterKill,
  afterPowerCut,
  createKillableFiles,
  killedAtEach,
  type MemoryFiles,
} from '../../../support/batch/memory-files.ts';
import { createRunnerFixture, lines, OUT, type RunnerFixture } from '../../../support/batch/runner-fixture.ts';

const ITEMS = 4;
const ALL = [1, 2, 3, 4];
const RUN = { concurrency: 2 };
const FAILED: Resubmit = ['failed'];

/** A batch of which every item failed. */
async function failedBatch(fixture: RunnerFixture, ordered = false): Promise<MemoryFiles> {
  await fixture.run(await fixture.begin(lines(ITEMS), { endpoint: 'fail', ordered }), RUN);
  return fixture.durable;
}

// The results of items that ran again are sorted in any case: each end has one of the two orders.
test.each([
  ['killed', afterKill, false],
  ['without power', afterPowerCut, true],
] as const)(
  'a resume that sends items again, whose process is %s at any point: every item is accounted for and has one line',
  async (_, after, ordered) => {
    const done = await killedAtEach(async (killedAt) => {
      const fixture = await createRunnerFixture();
      const files = await failedBatch(fixture, ordered);
      const hand = createKillableFiles(files, killedAt);
      const batch = await fixture.resume({ resubmit: FAILED }, hand).catch(() => undefined);
      if (batch !== undefined) await fixture.run(batch, RUN, { durable: hand }).catch(() => undefined);
      const left = after(files);
      const where = `killed at ${String(killedAt)}: ${hand.done.at(-1) ?? ''}`;
      const again = await fixture.resume({}, left);
      const end = await fixture.run(again, RUN, { durable: left });
      expect(end.stopped, where).toBeUndefined();
      expect(end.counts.waiting + end.counts.inFlight, where).toBe(0);
      expect(journalMismatches(again.states, await fixture.taken(), ITEMS, new Set(ALL)), where).toEqual([]);
      const unknown = new Set(again.states.items('unknown'));
      const results = fixture.results(left).map(({ item }) => item);
      expect(
        results.sort((a, b) => a - b),
        where,
      ).toEqual(ALL.filter((item) => !unknown.has(item)));
      const { resubmitted, states } = await replayJournal(left, OUT);
      expect([states.counts(), resubmitted <= ITEMS], where).toEqual([end.counts, true]);
      return hand;
    });
    expect(done.length).toBeGreaterThan(20);
    expect(done).toContain(`replace ${OUT}.ordered`);
  },
);

describe('items that are sent again', () => {
  test('are none of those that have completed', async () => {
    const fixture = await createRunnerFixture();
    const inputs = ['{"n":1,"times":0}', '{"n":2}', '{"n":3,"times":0}'];
    await fixture.run(await fixture.begin(inputs, { endpoint: 'fail' }), RUN);
    const before = fixture.results();
    const batch = await fixture.resume({ resubmit: FAILED });
    expect(batch.states.counts()).toMatchObject({ waiting: 1, failed: 0, completed: 2 });
    expect(batch.repairs).toEqual(['items sent again: 1']);
    await fixture.run(batch, RUN);
    expect((await replayJournal(fixture.durable, OUT)).resubmitted).toBe(1);
    const jobs = (results: typeof before) => results.flatMap(({ item, job }) => (item === 2 ? [] : job)).sort();
    expect(jobs(fixture.results())).toEqual(jobs(before));
  });

  test('that become unknown have no line any more', async () => {
    const fixture = await createRunnerFixture();
    await failedBatch(fixture, true);
    await fixture.control('POST', '/local/fault', { kind: 'accept-drop', match: 'POST /v2/fail/run', count: 2 });
    const batch = await fixture.resume({ resubmit: FAILED });
    const end = await fixture.run(batch, RUN);
    expect(end.counts).toMatchObject({ unknown: 2, failed: 2 });
    const unknown = [...batch.states.items('unknown')];
    expect(fixture.results().map(({ item }) => item)).toEqual(ALL.filter((item) => !unknown.includes(item)));
  });
});

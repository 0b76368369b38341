import { describe, expect, test } from 'vitest';
import { endPath, journalPath } from '../../../../src/batch/store/paths.ts';
import type { OpenBatch } from '../../../../src/batch/store/open-batch.ts';
import { journalMismatches } from '../../../support/batch/check-journal.ts';
import { createRunnerFixture, lines, OUT, type RunnerFixture } from '../../../support/batch/runner-fixture.ts';
import {
  afterKill,
  afterPowerCut,
  memoryFiles,
  createKillableFiles,
  killedAtEach,
  type MemoryFiles,
} from '../../../support/batch/memory-files.ts';

/** Few items, as the batch is killed at everything it does to a file. */
const ITEMS = 3;
const IN_ORDER = Array.from({ length: ITEMS }, (_, at) => at + 1);
const RUN = { concurrency: 2 };

const ENDS = [
  ['killed', afterKill],
  ['without power', afterPowerCut],
] as const;

/** What a user does after any end: goes on where there is a journal, and begins where there is none. */
const resumeOrBegin = (fixture: RunnerFixture, left: MemoryFiles): Promise<OpenBatch> =>
  left.files.has(journalPath(OUT))
    ? fixture.resume({}, left)
    : fixture.begin(lines(ITEMS), { ordered: true, durable: left });

/** Takes up a batch and runs it to its end: then every item is accounted for, and its result is there or it is unknown. */
async function expectRecovered(fixture: RunnerFixture, left: MemoryFiles, where: string): Promise<void> {
  const batch = await resumeOrBegin(fixture, left);
  const end = await fixture.run(batch, RUN, { durable: left });
  expect(end.stopped, where).toBeUndefined();
  expect(journalMismatches(batch.states, await fixture.taken(), ITEMS), where).toEqual([]);
  const unknown = new Set(batch.states.items('unknown'));
  expect(
    fixture.results(left).map(({ item }) => item),
    where,
  ).toEqual(IN_ORDER.filter((item) => !unknown.has(item)));
  expect([...left.files.keys()].filter((path) => /\.(new|ordered)$/.test(path), where)).toEqual([]);
}

/** The files after a whole run of a batch that nothing troubled. */
async function endedFiles(fixture: RunnerFixture): Promise<MemoryFiles> {
  await fixture.run(await fixture.begin(lines(ITEMS), { ordered: true }), RUN);
  return fixture.durable;
}

describe.each(ENDS)('a batch whose process is %s', (_, after) => {
  test('while it begins, begins again or resumes: no leftover file blocks it', async () => {
    const fixture = await createRunnerFixture();
    const left = { batch: 0, nothing: 0 };
    const done = await killedAtEach(async (killedAt) => {
      const files = memoryFiles();
      const hand = createKillableFiles(files, killedAt);
      await fixture.begin(lines(ITEMS), { durable: hand }).catch(() => undefined);
      const where = `killed at ${hand.done.at(-1) ?? ''}`;
      left[files.files.has(journalPath(OUT)) ? 'batch' : 'nothing'] += 1;
      // And killed again on the second try, wherever that is.
      await killedAtEach(async (again) => {
        const second = after(files);
        const other = createKillableFiles(second, again);
        const batch = second.files.has(journalPath(OUT))
          ? await fixture.resume({}, other).catch(() => undefined)
          : await fixture.begin(lines(ITEMS), { durable: other }).catch(() => undefined);
        await batch?.close().catch(() => undefined);
        const third = await resumeOrBegin(fixture, after(second));
        expect(third.states.counts(), where).toMatchObject({ planned: ITEMS, waiting: ITEMS });
        return other;
      });
      return hand;
    });
    expect(done).toEqual([
      `lock ${OUT}.journal.lock`,
      `create ${OUT}`,
      `remove ${OUT}.journal.new`,
      `create ${OUT}.journal.new`,
      `append ${OUT}.journal.new`,
      `sync ${OUT}.journal.new`,
      `replace ${OUT}.journal.new`,
      `open ${OUT}.journal.end`,
      `write ${OUT}.journal.end`,
      `sync ${OUT}.journal.end`,
    ]);
    expect(left).toEqual({ nothing: 7, batch: 4 });
  });

  test('while it runs and sorts its results: nothing is lost, and nothing is sent twice', async () => {
    const done = await killedAtEach(async (killedAt) => {
      const fixture = await createRunnerFixture();
      const hand = createKillableFiles(fixture.durable, killedAt);
      const batch = await fixture.begin(lines(ITEMS), { ordered: true, durable: hand }).catch(() => undefined);
      if (batch !== undefined) await fixture.run(batch, RUN, { durable: hand }).catch(() => undefined);
      await expectRecovered(
        fixture,
        after(fixture.durable),
        `killed at ${String(killedAt)}: ${hand.done.at(-1) ?? ''}`,
      );
      return hand;
    });
    expect(done.length).toBeGreaterThan(20);
    expect(done).toContain(`replace ${OUT}.ordered`);
  });

  test('while it resumes with a torn journal, half a result and a result missing from the journal', async () => {
    const done = await killedAtEach(async (killedAt) => {
      const fixture = await createRunnerFixture();
      const files = await endedFiles(fixture);
      const journal = files.text(journalPath(OUT));
      // Back to where the last two results were written, one and a half of them on the disk.
      const ends = [...journal.matchAll(/^[0-9a-f]{8} \d+ \["e",/gm)].map(({ index }) => index);
      const torn = memoryFiles({
        ...Object.fromEntries(files.files),
        [journalPath(OUT)]: journal.slice(0, (ends.at(-2) ?? 0) + 12),
        [OUT]: unordered(journal, files.text(OUT)).slice(0, -20),
      });
      await torn.remove(endPath(journalPath(OUT)));
      const hand = createKillableFiles(torn, killedAt);
      const batch = await fixture.resume({}, hand).catch(() => undefined);
      if (batch !== undefined) await fixture.run(batch, RUN, { durable: hand }).catch(() => undefined);
      await expectRecovered(fixture, after(torn), `killed at ${String(killedAt)}: ${hand.done.at(-1) ?? ''}`);
      return hand;
    });
    for (const what of [`append ${OUT}.journal.torn-`, `truncate ${OUT}.journal`, `truncate ${OUT}`])
      expect(done.some((each) => each.startsWith(what))).toBe(true);
  });
});

test('a sorted file of another length than the results is removed, and not put in their place', async () => {
  const fixture = await createRunnerFixture();
  const ended = await endedFiles(fixture);
  const results = ended.text(OUT);
  for (const foreign of [results.slice(0, results.indexOf('\n') + 1), `${results}{}\n`, '']) {
    const left = memoryFiles({ ...Object.fromEntries(ended.files), [`${OUT}.ordered`]: foreign });
    await expectRecovered(fixture, left, `${String(foreign.length)} characters`);
    expect(left.text(OUT)).toBe(results);
  }
});

/** The results as they were before they were put in order: the journal knows which came when. */
function unordered(journal: string, results: string): string {
  const line = new Map(results.split('\n').map((text) => [/"item":(\d+)/.exec(text)?.[1] ?? '', text]));
  return [...journal.matchAll(/\["e",(\d+),/g)].map(([, item]) => `${line.get(item ?? '') ?? ''}\n`).join('');
}

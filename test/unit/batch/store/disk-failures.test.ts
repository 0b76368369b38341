import { describe, expect, test } from 'vitest';
import { endPath, journalPath } from '../../../../src/batch/store/paths.ts';
import { replayJournal } from '../../../../src/batch/store/replay.ts';
import { journalMismatches } from '../../../support/batch/check-journal.ts';
import { createRunnerFixture, lines, OUT, type RunnerFixture } from '../../../support/batch/runner-fixture.ts';
import { afterKill, afterPowerCut, memoryFiles, type MemoryFiles } from '../../../support/batch/memory-files.ts';

const ITEMS = 4;

/** Nothing lost and nothing twice: what the service has more than once, or that has no result, must be unknown. */
async function expectAccounted(
  fixture: RunnerFixture,
  durable: MemoryFiles,
  unknown: readonly number[],
): Promise<void> {
  const taken = new Map<number, number>();
  for (const [input, count] of await fixture.submissions()) taken.set((JSON.parse(input) as { n: number }).n, count);
  const results = fixture.results(durable).map(({ item }) => item);
  expect(new Set(results).size).toBe(results.length);
  for (let item = 1; item <= ITEMS; item++) {
    const times = taken.get(item) ?? 0;
    if (unknown.includes(item)) expect(times, `unknown item ${String(item)}`).toBeLessThanOrEqual(1);
    else expect([times, results.includes(item)], `item ${String(item)}`).toEqual([1, true]);
  }
}

/** What a disk says to a write of so many bytes, or to a sync. */
const DISK_FAILURES = [
  ['is full (ENOSPC)', { takes: () => 0, error: 'ENOSPC', at: 'write' }],
  [
    'takes half and is full (ENOSPC)',
    { takes: (bytes: number) => Math.floor(bytes / 2), error: 'ENOSPC', at: 'write' },
  ],
  ['cannot write (EIO)', { takes: () => 0, error: 'EIO', at: 'write' }],
  ['takes all and cannot sync (EIO)', { takes: (bytes: number) => bytes, error: 'EIO', at: 'sync' }],
] as const;

describe.each([
  ['journal', journalPath(OUT), 'keeps what it could not sync', afterKill],
  ['journal', journalPath(OUT), 'loses what it could not sync', afterPowerCut],
  ['results', OUT, 'keeps what it could not sync', afterKill],
  ['results', OUT, 'loses what it could not sync', afterPowerCut],
] as const)('a disk that fails under the %s (%s) and %s', (_name, failing, _then, after) => {
  /** Runs a batch on a disk that fails from the n-th time on; true where it never came to that. */
  async function runOn(trouble: (typeof DISK_FAILURES)[number][1], from: number): Promise<boolean> {
    const fixture = await createRunnerFixture();
    const batch = await fixture.begin(lines(ITEMS));
    let times = 0;
    const fails = (path: string, what: string): boolean => path === failing && what === trouble.at && ++times >= from;
    fixture.durable.disk = (path, bytes) =>
      fails(path, 'write') ? { takes: trouble.takes(bytes), error: trouble.error } : { takes: bytes };
    fixture.durable.syncs = (path) => (fails(path, 'sync') ? trouble.error : undefined);
    const end = await fixture.run(batch, { concurrency: 2 });
    if (times < from) return true;

    const where = `failing from time ${String(from)} on`;
    expect(end.stopped?.failure, where).toMatchObject({ exit: 14 });
    // What the service took and the disk did not is named, and nothing else.
    const left = after(fixture.durable);
    const taken = await fixture.taken();
    const { states } = await replayJournal(left, OUT);
    expect(journalMismatches(states, taken, ITEMS), where).toEqual([]);
    for (const { item, job } of end.unrecorded)
      expect([taken.get(item), states.stateOf(item), job], where).toEqual([
        1,
        // What could not be synced may be there all the same.
        expect.stringMatching(/^(sending|submitted)$/),
        expect.stringMatching(/./),
      ]);

    const again = await fixture.resume({}, left);
    const unknown = [...again.states.items('unknown')];
    const rest = await fixture.run(again, {}, { durable: left });
    expect(rest.counts.completed + unknown.length, where).toBe(ITEMS);
    expect(journalMismatches(again.states, await fixture.taken(), ITEMS), where).toEqual([]);
    await expectAccounted(fixture, left, unknown);
    return false;
  }

  test.each(DISK_FAILURES)('when it %s, whenever that is, ends it 14, and nothing is lost', async (_how, trouble) => {
    let from = 1;
    while (!(await runOn(trouble, from))) from += 1;
    expect(from).toBeGreaterThan(2);
  });
});

test('when an intent cannot be synced, nothing is sent for it', async () => {
  const fixture = await createRunnerFixture();
  const batch = await fixture.begin(lines(ITEMS));
  fixture.durable.syncs = (path) => (path === journalPath(OUT) ? 'EIO' : undefined);
  let posts = 0;
  const end = await fixture.run(batch, {}, { before: (method) => (posts += method === 'POST' ? 1 : 0) });
  expect(end.stopped?.failure).toMatchObject({ exit: 14 });
  expect(posts).toBe(0);
  expect(end.counts).toMatchObject({ waiting: ITEMS, inFlight: 0 });
});

test.each(DISK_FAILURES)(
  'a disk that %s as a batch begins: 14, nothing was sent, and it can begin later',
  async (_, trouble) => {
    const fixture = await createRunnerFixture();
    fixture.durable.disk = (_path, bytes) =>
      trouble.at === 'write' ? { takes: trouble.takes(bytes), error: trouble.error } : { takes: bytes };
    fixture.durable.syncs = () => (trouble.at === 'sync' ? trouble.error : undefined);
    await expect(fixture.begin(lines(ITEMS))).rejects.toMatchObject({ exit: 14 });
    expect([...fixture.durable.files.keys()].sort()).toEqual(['items.jsonl', OUT]);
    [fixture.durable.disk, fixture.durable.syncs] = [undefined, undefined];
    const end = await fixture.run(await fixture.begin(lines(ITEMS)));
    expect(end.counts.completed).toBe(ITEMS);
  },
);

describe('a process that is killed', () => {
  test('while a record was half written: a result on the disk counts, even if the journal lacks it', async () => {
    const fixture = await createRunnerFixture();
    await fixture.run(await fixture.begin(lines(ITEMS)));
    const journal = fixture.durable.files.get(journalPath(OUT)) ?? Buffer.alloc(0);
    const text = journal.toString();
    // Back to before the first end was taken down; the service has forgotten everything since.
    const firstEnd = text.indexOf('["e",');
    const cut = journal.subarray(0, firstEnd + 3);
    await fixture.control('POST', '/local/reset');
    const left = memoryFiles({ ...Object.fromEntries(fixture.durable.files), [journalPath(OUT)]: cut });
    await left.remove(endPath(journalPath(OUT)));
    const again = await fixture.resume({}, left);
    expect(again.repairs[0]).toContain('incomplete record');
    expect(again.states.count('completed')).toBeGreaterThan(0);
    await again.close();
  });
});

import { describe, expect, test } from 'vitest';
import { journalPath } from '../../../src/batch/journal.ts';
import { lab, lines, OUT, type Lab } from './harness.ts';
import { afterKill, memoryFiles, type MemoryFiles } from './memory-files.ts';

const ITEMS = 12;

/** Nothing lost and nothing twice: what the service has more than once, or that has no result, must be unknown. */
async function expectAccounted(place: Lab, durable: MemoryFiles, unknown: readonly number[]): Promise<void> {
  const taken = new Map<number, number>();
  for (const [input, count] of await place.submissions()) taken.set((JSON.parse(input) as { n: number }).n, count);
  const results = place.results(durable).map(({ item }) => item);
  expect(new Set(results).size).toBe(results.length);
  for (let item = 1; item <= ITEMS; item++) {
    const times = taken.get(item) ?? 0;
    if (unknown.includes(item)) expect(times, `unknown item ${String(item)}`).toBeLessThanOrEqual(1);
    else expect([times, results.includes(item)], `item ${String(item)}`).toEqual([1, true]);
  }
}

describe('a disk that fails', () => {
  const files = { journal: journalPath(OUT), results: OUT };
  const troubles = [
    ['is full', { takes: 0, error: 'ENOSPC' }],
    ['takes half and is full', { takes: 3, error: 'ENOSPC' }],
  ] as const;

  test.each(
    Object.entries(files).flatMap(([name, path]) =>
      troubles.map(([how, verdict]) => [name, how, path, verdict] as const),
    ),
  )('under the %s, when it %s, ends it 14, and nothing is lost', async (_name, _how, failing, verdict) => {
    const place = await lab();
    const batch = await place.begin(lines(ITEMS));
    let writes = 0;
    place.durable.disk = (path, bytes) => (path === failing && ++writes > 3 ? verdict : { takes: bytes });
    const end = await place.run(batch, { concurrency: 2 });
    expect(end.stopped?.failure).toMatchObject({ exit: 14 });
    for (const { item, job } of end.unwritten) expect([item > 0, job.length > 0]).toEqual([true, true]);
    const left = afterKill(place.durable);
    const again = await place.resume({}, left);
    const unknown = [...again.ledger.items('unknown')];
    const rest = await place.run(again, {}, { durable: left });
    expect(rest.accounting.completed + rest.accounting.unknown).toBe(ITEMS);
    await expectAccounted(place, left, unknown);
  });

  test('that cannot sync an intent sends nothing for it', async () => {
    const place = await lab();
    const batch = await place.begin(lines(ITEMS));
    place.durable.syncs = (path) => (path === journalPath(OUT) ? 'EIO' : undefined);
    let posts = 0;
    const end = await place.run(batch, {}, { before: (method) => (posts += method === 'POST' ? 1 : 0) });
    expect(end.stopped?.failure).toMatchObject({ exit: 14 });
    expect(posts).toBe(0);
  });
});

describe('a process that is killed', () => {
  test(
    'at any write or sync: what it left is taken up, nothing is sent twice, nothing is lost',
    { timeout: 60_000 },
    async () => {
      // Counts the moments once, then is killed at every third of them.
      const counting = await lab();
      let moments = 0;
      const whole = await counting.begin(lines(ITEMS));
      counting.durable.onChange = () => (moments += 1);
      await counting.run(whole, { concurrency: 3 });
      expect(moments).toBeGreaterThan(20);
      for (let kill = 1; kill <= moments; kill += 3) {
        const place = await lab();
        const batch = await place.begin(lines(ITEMS));
        let at = 0;
        let left: MemoryFiles | undefined;
        place.durable.onChange = () => {
          at += 1;
          if (at < kill || left !== undefined) return;
          left = afterKill(place.durable);
          // What the process would have done from here on, it does not do.
          place.durable.disk = () => ({ takes: 0, error: 'KILLED' });
          place.durable.syncs = () => 'KILLED';
        };
        await place.run(batch, { concurrency: 3 });
        const durable = left ?? afterKill(place.durable);
        const again = await place.resume({}, durable);
        const unknown = [...again.ledger.items('unknown')];
        const end = await place.run(again, {}, { durable });
        expect(end.accounting.completed + unknown.length, `killed at ${String(kill)}`).toBe(ITEMS);
        await expectAccounted(place, durable, unknown);
      }
    },
  );

  test('while a record was half written: a result on the disk counts, even where the journal does not say so', async () => {
    const place = await lab();
    await place.run(await place.begin(lines(ITEMS)));
    const journal = place.durable.files.get(journalPath(OUT)) ?? Buffer.alloc(0);
    const text = journal.toString();
    // Back to before the first end was taken down; the service has forgotten everything since.
    const firstEnd = text.indexOf('["e",');
    const cut = journal.subarray(0, firstEnd + 3);
    await place.control('POST', '/local/reset');
    const left = memoryFiles({ ...Object.fromEntries(place.durable.files), [journalPath(OUT)]: cut });
    const again = await place.resume({}, left);
    expect(again.mended[0]).toContain('unfinished record');
    expect(again.ledger.count('completed')).toBeGreaterThan(0);
    await again.close();
  });

  test('while a result was half written: it is fetched again', async () => {
    const place = await lab();
    await place.run(await place.begin(lines(ITEMS)));
    const lastEnd = place.durable
      .text(journalPath(OUT))
      .lastIndexOf('\n', place.durable.text(journalPath(OUT)).length - 2);
    const left = afterKill(place.durable);
    left.files.set(journalPath(OUT), (left.files.get(journalPath(OUT)) ?? Buffer.alloc(0)).subarray(0, lastEnd + 1));
    left.files.set(OUT, (left.files.get(OUT) ?? Buffer.alloc(0)).subarray(0, -5));
    const end = await place.run(await place.resume({}, left), {}, { durable: left });
    expect(end.accounting.completed).toBe(ITEMS);
    await expectAccounted(place, left, []);
  });

  test('while the results took their order: one whole file is there', async () => {
    const place = await lab();
    const batch = await place.begin(lines(ITEMS), { ordered: true });
    let left: MemoryFiles | undefined;
    place.durable.onChange = () => {
      if (place.durable.text(journalPath(OUT)).includes('["o",')) left ??= afterKill(place.durable);
    };
    await place.run(batch);
    expect(left?.files.has(`${OUT}.ordered`)).toBe(true);
    const durable = left ?? afterKill(place.durable);
    await (await place.resume({}, durable)).close();
    expect(place.results(durable).map(({ item }) => item)).toEqual(Array.from({ length: ITEMS }, (_, at) => at + 1));
    expect(durable.files.has(`${OUT}.ordered`)).toBe(false);
  });
});

test('two processes on one batch: the second stops', async () => {
  const place = await lab();
  const batch = await place.begin(lines(ITEMS));
  await expect(place.resume()).rejects.toMatchObject({ exit: 14, message: expect.stringContaining('4711') as string });
  await batch.close();
  await (await place.resume()).close();
});

test('results that are shorter than the journal knows are not written on', async () => {
  const place = await lab();
  await place.run(await place.begin(lines(ITEMS)));
  place.durable.files.set(OUT, Buffer.alloc(0));
  await expect(place.resume()).rejects.toMatchObject({ exit: 14 });
});

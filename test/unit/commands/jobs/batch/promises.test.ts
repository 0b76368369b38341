import { describe, expect, test } from 'vitest';
import { batchIn, createBatchWorld, items, summary, write } from '../../../../support/batch/command-fixture.ts';
import { countSubmissions } from '../../../../support/batch/check-journal.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import type { TestWorld } from '../../../../support/worlds/test-world.ts';

const RESULTS = 'r.jsonl';

const run = (world: TestWorld, endpoint = 'echo', ...more: readonly string[]): Promise<Ran> =>
  batchIn(world, 'run', endpoint, '--input', 'in.jsonl', '--out', RESULTS, ...more);

/** The rows of an export, as JSON lines. */
const exportOf = (world: TestWorld, ...more: readonly string[]): Promise<Ran> =>
  berthIn({ ...world }, ['jobs', 'batch', 'export', RESULTS, ...more]);

const rowsOf = ({ out }: Ran): readonly unknown[] =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

describe('a batch', () => {
  test('has counts, a status, a report and rows that say the same, in the order of the input', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(12));
    const ran = await run(world);
    expect([ran.code, ran.err]).toEqual([0, ran.err]);
    const counts = { planned: 12, completed: 12, failed: 0, unknown: 0, inFlight: 0, waiting: 0, invalid: 0 };
    expect(summary(ran)).toMatchObject({
      batch: expect.stringContaining(RESULTS) as string,
      endpoint: 'echo',
      ...counts,
    });
    expect(summary(await batchIn(world, 'status', RESULTS))).toMatchObject({ ...counts, state: 'ended' });
    expect(summary(await batchIn(world, 'report', RESULTS))).toMatchObject({ ...counts, state: 'ended', failures: [] });
    const numbers = Array.from({ length: 12 }, (_, at) => at + 1);
    const ordered = await exportOf(world, '--ordered', '--fields', 'item');
    expect(rowsOf(ordered)).toEqual(numbers.map((item) => ({ item })));
    const joined = await exportOf(world, '--join-input', '--fields', 'input,output');
    expect(rowsOf(joined)).toEqual(numbers.map((n) => ({ input: { n }, output: { n } })));
  });

  test('stops where it is told to, and a resume goes on with what is left and sends nothing twice', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(40));
    const stopped = await run(world, 'fail', '--max-failures', '0', '--in-flight', '2');
    expect([stopped.code, stopped.err]).toEqual([13, expect.stringContaining('--max-failures')]);
    const before = summary(await batchIn(world, 'status', RESULTS));
    expect(before).toMatchObject({ planned: 40, state: 'stopped', inFlight: 0, unknown: 0 });
    expect(before['waiting']).toBeGreaterThan(0);
    // The limit is kept, and counts the failures of each run.
    const more = await batchIn(world, 'resume', RESULTS);
    expect(summary(more)).toMatchObject({ failed: Number(before['failed']) + 2 });
    const ran = await batchIn(world, 'resume', RESULTS, '--max-failures', '100');
    expect([ran.code, summary(ran)]).toMatchObject([13, { planned: 40, failed: 40, waiting: 0, resubmitted: 0 }]);
    const rows = rowsOf(await exportOf(world, '--ordered', '--fields', 'item,job')) as readonly { job: string }[];
    expect(rows).toMatchObject(Array.from({ length: 40 }, (_, at) => ({ item: at + 1 })));
    expect(new Set(rows.map(({ job }) => job)).size).toBe(40);
    expect(new Set((await countSubmissions(world.store)).values())).toEqual(new Set([1]));
  });
});

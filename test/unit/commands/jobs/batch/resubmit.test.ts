import { describe, expect, test } from 'vitest';
import {
  createBatchWorld,
  OUT,
  read,
  RESUME,
  RUN,
  secondProcess,
  summary,
  write,
  type BatchWorld,
} from '../../../../support/batch/command-fixture.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';

const DAY_MS = 86_400_000;

/** A batch of yesterday: of six items two failed for want of memory, one for another reason. */
async function batchOfYesterday(): Promise<BatchWorld> {
  const world = await createBatchWorld();
  const memory = '{"n":1,"error":"out of memory: 12 GiB"}\n{"n":2,"error":"out of memory: 3 GiB"}\n';
  write(world, 'in.jsonl', `${memory}{"n":3,"error":"no such file: /data/a/b.png"}\n`);
  await berthIn(world, ['jobs', 'batch', 'run', 'fail', ...RUN.slice(4)]);
  world.clock.advance(DAY_MS);
  return world;
}

const resume = (world: BatchWorld, ...flags: readonly string[]): Promise<Ran> =>
  berthIn(secondProcess(world), [...RESUME, ...flags]);

const jobsOf = (world: BatchWorld): ReadonlyMap<number, string> =>
  new Map(
    read(world, OUT)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly item: number; readonly job: string })
      .map(({ item, job }) => [item, job]),
  );

describe('--resubmit', () => {
  test('sends failed items of yesterday again as new jobs', async () => {
    const world = await batchOfYesterday();
    const before = jobsOf(world);
    const ran = await resume(world, '--resubmit', 'failed', '--json');
    expect([ran.code, summary(ran)]).toEqual([13, expect.objectContaining({ planned: 3, failed: 3, resubmitted: 3 })]);
    expect(ran.err).toContain('items sent again: 3');
    const after = jobsOf(world);
    expect([...after.keys()]).toEqual([1, 2, 3]);
    expect([1, 2, 3].map((item) => after.get(item) === before.get(item))).toEqual([false, false, false]);
  });

  test.each([
    [['--resubmit', 'completed'], '--resubmit is one of failed, expired, timed-out, cancelled, unknown'],
  ] as const)('%j is refused', async (flags, said) => {
    const world = await batchOfYesterday();
    const journal = read(world, `${OUT}.journal`);
    const ran = await resume(world, ...flags);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(said)]);
    expect(read(world, `${OUT}.journal`)).toBe(journal);
  });
});

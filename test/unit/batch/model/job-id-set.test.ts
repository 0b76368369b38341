import { describe, expect, test } from 'vitest';
import { createJobIds } from '../../../../src/batch/store/replay.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { items, OUT, read, RESUME, RUN, summary, write } from '../../../support/batch/command-fixture.ts';
import { createTinyQueueWorld } from '../../../support/batch/tiny-queue-server.ts';

/** No id; empty; not usable in a path; with control characters; no text; too long. */
const INVALID_IDS: readonly unknown[] = [
  ...[undefined, '', '.', '..', 'job\n1', 'job\u0000', '\u001b[2J', 'job\ud800'],
  ...[7, ['job'], null, 'x'.repeat(50_000)],
];

test('items whose submissions are answered with an invalid id are unknown and not sent again, all others are done', async () => {
  const count = 2 * INVALID_IDS.length;
  // Every second one: many in a row would count as an outage.
  const submit = ({ nth }: { readonly nth: number }) =>
    nth % 2 === 0 ? { body: { id: INVALID_IDS[nth / 2 - 1] } } : undefined;
  const world = await createTinyQueueWorld({ submit });
  write(world, 'in.jsonl', items(count));
  const ran = await berthIn(world, [...RUN, '--json']);
  expect(ran.code, ran.err).toBe(13);
  expect(ran.err).not.toContain('\u001b');
  const resumed = await berthIn(world, [...RESUME, '--json']);
  for (const each of [ran, resumed])
    expect(summary(each)).toMatchObject({ completed: INVALID_IDS.length, unknown: INVALID_IDS.length });
  expect(world.submitted).toHaveLength(count);
});

describe('a service that gives two items the same id', () => {
  test('marks the second item unknown and says so', async () => {
    const world = await createTinyQueueWorld({
      submit: ({ nth }) => (nth === 6 ? { body: { id: 'job-2' } } : undefined),
    });
    write(world, 'in.jsonl', items(10));
    const ran = await berthIn(world, RUN);
    expect(ran.code, ran.err).toBe(13);
    expect(ran.err).toContain('the service gave the job id "job-2" to two items');
    expect(read(world, OUT).match(/"job":"job-2"/g)).toHaveLength(1);
    expect(read(world, OUT).trim().split('\n')).toHaveLength(9);
  });

  test('stops with counts when all ids are the same, and no item gets the result of another', async () => {
    const world = await createTinyQueueWorld({ submit: () => ({ body: { id: 'job' } }) });
    write(world, 'in.jsonl', items(60));
    const ran = await berthIn(world, [...RUN, '--json']);
    expect(ran.code, ran.err).toBe(8);
    expect(world.submitted.length).toBeLessThan(60);
    expect(read(world, OUT).trim().split('\n').length).toBeLessThan(2);
  });
});

test('a result of another job is not recorded', async () => {
  const world = await createTinyQueueWorld({
    status: (job, nth) => (nth === 2 ? { id: 'job-99', output: 'wrong' } : { id: job }),
  });
  write(world, 'in.jsonl', items(5));
  const ran = await berthIn(world, [...RUN, '--json']);
  expect(ran.code, ran.err).toBe(0);
  expect(read(world, OUT)).not.toContain('wrong');
});

test('distinguishes many ids and recognizes each of them', () => {
  const ids = createJobIds(50_000);
  const names = Array.from({ length: 50_000 }, (_, at) => `job-${at.toString(36)}-e${String(at % 7)}`);
  expect(names.filter((name) => !ids.add(name))).toEqual([]);
  expect(names.filter((name) => ids.add(name))).toEqual([]);
});

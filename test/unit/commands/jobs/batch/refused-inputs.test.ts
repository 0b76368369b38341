import { describe, expect, test } from 'vitest';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { items, OUT, RESUME, RUN, secondProcess, summary, write } from '../../../../support/batch/command-fixture.ts';
import { createTinyQueueWorld } from '../../../../support/batch/tiny-queue-server.ts';

const SUBMISSION = '{"input":{"n":1},"policy":{"ttl":60000}}';

describe('an input that is not what it looks like', () => {
  test.each([
    ['in.csv', 'sku,seed:int\na,1\n', 'line 1: column "seed:int": int is not a type', 'string, number, boolean, json'],
    ['in.csv', 'on:bool\ntrue\n', 'bool is not a type', 'string, number, boolean, json'],
    ['in.jsonl', '[{"n":1},{"n":2}]\n', 'in.jsonl is a JSON array', "jq -c '.[]' in.jsonl > items.jsonl"],
    ['in.jsonl', '[\n  {"n":1}\n]\n', 'in.jsonl is a JSON array', "jq -c '.[]' in.jsonl > items.jsonl"],
    ['in.jsonl', `{"n":1}\n${SUBMISSION}\n`, 'line 2: this is a whole submission', '--as-is'],
  ])('%s %j is refused once', async (name, content, message, hint) => {
    const world = await createTinyQueueWorld();
    write(world, name, content);
    const ran = await berthIn(world, ['jobs', 'batch', 'run', 'echo', '--input', name, '--out', OUT]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(message);
    expect(ran.err).toContain(hint);
    expect(ran.err.trim().split('\n')).toHaveLength(2);
    expect(world.submitted).toEqual([]);
  });

  test.each([['--input-field', 'input'], ['--as-is']])(
    'a whole submission is sent with %s %s, also by a resume',
    async (...flags) => {
      const world = await createTinyQueueWorld();
      write(world, 'in.jsonl', `${SUBMISSION}\n`);
      const ran = await berthIn(world, [...RUN, ...flags]);
      expect(ran.code, ran.err).toBe(0);
      expect(world.submitted).toEqual([flags.length > 1 ? { n: 1 } : JSON.parse(SUBMISSION)]);
      expect((await berthIn(secondProcess(world), RESUME)).code).toBe(0);
    },
  );

  test('jobs run refuses a whole submission in the same words', async () => {
    const world = await createTinyQueueWorld();
    const run = (...flags: string[]) =>
      berthIn(secondProcess(world), ['jobs', 'run', 'echo', '--input', SUBMISSION, ...flags]);
    const refused = await run();
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('is a whole submission')]);
    expect((await run('--input-field', 'input')).code).toBe(0);
    expect((await run('--as-is')).code).toBe(0);
    expect(world.submitted).toEqual([{ n: 1 }, JSON.parse(SUBMISSION)]);
  });
});

test('--failed-ok ends 0 where items did not complete', async () => {
  const world = await createTinyQueueWorld({ status: () => ({ status: 'FAILED', error: 'no' }) });
  write(world, 'in.jsonl', items(2));
  const ran = await berthIn(world, [...RUN, '--failed-ok', '--json']);
  expect([ran.code, summary(ran)['failed']]).toEqual([0, 2]);
  expect((await berthIn(secondProcess(world), RESUME)).code).toBe(13);
  expect((await berthIn(secondProcess(world), [...RESUME, '--failed-ok'])).code).toBe(0);
});

test('--failed-ok ends 13 where --max-failures left items unsent', async () => {
  const world = await createTinyQueueWorld({ status: () => ({ status: 'FAILED', error: 'no' }) });
  write(world, 'in.jsonl', items(4));
  const ran = await berthIn(world, [...RUN, '--failed-ok', '--max-failures', '0', '--in-flight', '1', '--json']);
  expect([ran.code, summary(ran)['waiting']]).toEqual([13, 3]);
});

test('an export takes its format from the name of --out, and refuses what it cannot write', async () => {
  const world = await createTinyQueueWorld();
  write(world, 'in.jsonl', items(2));
  await berthIn(world, RUN);
  const to = (out: string, ...more: string[]) =>
    berthIn(secondProcess(world), ['jobs', 'batch', 'export', OUT, '--out', out, ...more]);
  expect((await to('x.csv')).code).toBe(0);
  const { out } = await berthIn(secondProcess(world), ['jobs', 'batch', 'export', OUT, '--format', 'csv']);
  const { readFileSync } = await import('node:fs');
  expect(readFileSync(`${world.directory}/x.csv`, 'utf8')).toBe(out);
  const refused = await to('x.parquet');
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('cannot write parquet')]);
  expect((await to('x.parquet', '--format', 'jsonl')).code).toBe(0);
});

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { LOCAL_KEY } from '../../../../../src/local/http/admission.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import type { TestWorld } from '../../../../support/worlds/test-world.ts';
import {
  secondProcess,
  items,
  waitForJobs,
  createBatchWorld,
  read,
  RUN,
  summary,
  write,
} from '../../../../support/batch/command-fixture.ts';

describe('jobs batch run', () => {
  test('fetches every result, prints one object and ends with 0', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(30));
    const ran = await berthIn(world, [...RUN, '--json']);
    expect(ran.code, ran.err).toBe(0);
    expect(summary(ran)).toMatchObject({
      batch: 'out.jsonl',
      planned: 30,
      completed: 30,
      unknown: 0,
      unknownItems: [],
    });
    expect(read(world, 'out.jsonl').trim().split('\n')).toHaveLength(30);
    expect(existsSync(join(world.directory, 'out.jsonl.journal.lock'))).toBe(false);
    const status = await berthIn(world, ['jobs', 'batch', 'status', 'out.jsonl', '--json']);
    expect(summary(status)).toMatchObject({ completed: 30, state: 'ended' });
  });

  test('names all invalid items by line and column and sends nothing', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', '{"a":1}\n{"b":}\n\nnope\n');
    const ran = await berthIn(world, RUN);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('in.jsonl, line 2, column 6');
    expect(ran.err).toContain('in.jsonl, line 4, column 1');
    expect(existsSync(join(world.directory, 'out.jsonl'))).toBe(false);
    const skipped = await berthIn(world, [...RUN, '--skip-invalid', '--json']);
    expect(skipped.code).toBe(0);
    expect(summary(skipped)).toMatchObject({ planned: 1, completed: 1, invalid: 2 });
  });

  test('prints with --dry-run what it would send, and changes nothing', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(3));
    const ran = await berthIn(world, [...RUN, '--dry-run']);
    expect(ran.code, ran.err).toBe(0);
    expect(summary(ran)).toMatchObject({
      planned: 3,
      largestBody: 17,
      first: { method: 'POST', body: { input: { n: 1 } } },
    });
    expect(ran.out).not.toContain(LOCAL_KEY);
    expect(existsSync(join(world.directory, 'out.jsonl'))).toBe(false);
  });

  test('fails before the first job when the endpoint does not exist', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(1));
    const ran = await berthIn(world, ['jobs', 'batch', 'run', 'nowhere', ...RUN.slice(4)]);
    expect(ran.code).toBe(4);
    expect(existsSync(join(world.directory, 'out.jsonl'))).toBe(false);
  });
});

describe('leftovers of a killed run', () => {
  test.each([
    ['an empty results file', { 'out.jsonl': '' }],
    ['half a journal that was never renamed', { 'out.jsonl': '', 'out.jsonl.journal.new': 'deadbeef 700 ["ber' }],
    ['half a copy of the piped input', { 'out.jsonl.journal.input': '{"n":1}\n{"n' }],
  ])('do not block a new run: %s', async (_, files) => {
    const world = await createBatchWorld({ stdin: items(3) });
    for (const [name, content] of Object.entries(files)) write(world, name, content);
    const ran = await berthIn(world, ['jobs', 'batch', 'run', 'echo', '--input', '-', '--out', 'out.jsonl', '--json']);
    expect(ran.code, ran.err).toBe(0);
    expect(summary(ran)).toMatchObject({ planned: 3, completed: 3 });
    const lying = readdirSync(world.directory).filter((name) => name.startsWith('out'));
    const ends = ['', '.journal', '.journal.end', '.journal.input'];
    expect(lying.sort()).toEqual(ends.map((end) => `out.jsonl${end}`));
    expect(read(world, 'out.jsonl.journal.input')).toBe(items(3));
  });
});

test('the second of two runs to one file ends with 14 and changes nothing of the first', async () => {
  const world = await createBatchWorld();
  const stdin = new PassThrough();
  const argv = ['jobs', 'batch', 'run', 'echo', '--input', '-', '--out', 'out.jsonl', '--json'];
  const first = berthIn({ ...world, stdin }, argv);
  stdin.write('{"n":1}\n');
  while (!existsSync(join(world.directory, 'out.jsonl.journal.input'))) await new Promise(setImmediate);
  const second = await berthIn(secondProcess(world, { stdin: items(30) }), argv);
  expect([second.code, second.err]).toEqual([14, expect.stringContaining(`process ${String(process.pid)}`)]);
  stdin.end('{"n":2}\n');
  const ran = await first;
  expect(ran.code, ran.err).toBe(0);
  expect(summary(ran)).toMatchObject({ planned: 2, completed: 2 });
  expect(read(world, 'out.jsonl.journal.input')).toBe(items(2));
});

describe('an interrupt', () => {
  /** Begins a batch and presses Ctrl-C when the journal knows of so many jobs. */
  async function interrupted(world: TestWorld, count: number): Promise<Ran> {
    const running = berthIn(world, RUN);
    await waitForJobs(world, count);
    world.signal('SIGINT');
    return running;
  }

  test('ends with 130, prints the resume command, and no item is unknown', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(300));
    const ran = await interrupted(world, 20);
    expect(ran.code).toBe(130);
    expect(ran.err).toContain('Continue: berth jobs batch resume out.jsonl');
    const status = await berthIn(world, ['jobs', 'batch', 'status', 'out.jsonl', '--json']);
    expect(summary(status)).toMatchObject({ planned: 300, unknown: 0, state: 'stopped' });
    expect(status.err).toBe('Continue: berth jobs batch resume out.jsonl\n');
    const rest = await berthIn(world, ['jobs', 'batch', 'resume', 'out.jsonl', '--json']);
    expect(rest.code, rest.err).toBe(0);
    expect(summary(rest)).toMatchObject({ completed: 300 });
    expect(read(world, 'out.jsonl').trim().split('\n')).toHaveLength(300);
  });

  test('a resume refuses a changed input and finds a moved one', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(100));
    await interrupted(world, 5);
    write(world, 'in.jsonl', items(101));
    const changed = await berthIn(world, ['jobs', 'batch', 'resume', 'out.jsonl']);
    expect([changed.code, changed.err]).toEqual([14, expect.stringContaining('not the one this batch was begun with')]);
    write(world, 'moved.jsonl', items(100));
    const moved = await berthIn(world, ['jobs', 'batch', 'resume', 'out.jsonl', '--input', 'moved.jsonl', '--json']);
    expect(moved.code, moved.err).toBe(0);
  });
});

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createAutoAdvancingClock } from '../../../../support/clocks/auto-advancing-clock.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../../support/worlds/test-world.ts';

const lines = (...numbers: readonly number[]): string => numbers.map((number) => `{"n":${String(number)}}\n`).join('');

const run = (world: TestWorld, ...argv: readonly string[]) =>
  berthIn(world, ['--local', 'jobs', 'batch', 'run', 'echo', '--out', 'r.jsonl', '--ordered', ...argv]);

/** The outputs of all items, in their order. */
const outputs = (world: TestWorld): readonly unknown[] =>
  readFileSync(join(world.directory, 'r.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly output: unknown }).output);

function worldWith(files: Readonly<Record<string, string | Uint8Array>>): TestWorld {
  // Files are slow on a busy machine: this clock waits for them, so that no job expires meanwhile.
  const world = createTestWorld({ clock: createAutoAdvancingClock() });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(world.directory, name, '..'), { recursive: true });
    writeFileSync(join(world.directory, name), content);
  }
  return world;
}

const FILES = {
  'in/a.jsonl': lines(1, 2),
  'in/b.jsonl.gz': gzipSync(lines(3)),
  'in/c.csv': 'n\n4\n5',
  'in/d.csv.gz': gzipSync('n:number\n6\n7\n'),
  'in/e.jsonl': '',
};
const NUMBERED = [{ n: 1 }, { n: 2 }, { n: 3 }, { n: '4' }, { n: '5' }, { n: 6 }, { n: 7 }];

describe('a batch with several inputs', () => {
  test.each<readonly [string, readonly string[]]>([
    ['each named', ['in/a.jsonl', 'in/b.jsonl.gz', 'in/c.csv', 'in/d.csv.gz']],
    ['a glob', ['in/*']],
    ['a folder', ['in/']],
    ['globs', ['in/[ab]*', 'in/{c,d}.*']],
  ])('runs the items of all, numbered through them: %s', async (_, inputs) => {
    const world = worldWith(FILES);
    const ran = await run(world, ...inputs.flatMap((input) => ['--input', input]));
    expect(ran.code).toBe(0);
    expect(outputs(world)).toEqual(NUMBERED);
  });

  test('joins each result with its input, and names all inputs in its status', async () => {
    const world = worldWith(FILES);
    await run(world, '--input', 'in/*');
    const exported = await berthIn(world, [
      'jobs',
      'batch',
      'export',
      'r.jsonl',
      '--join-input',
      '--fields',
      'item,input',
    ]);
    expect(
      exported.out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(NUMBERED.map((input, index) => ({ item: index + 1, input })));
    const status = await berthIn(world, ['--json', 'jobs', 'batch', 'status', 'r.jsonl']);
    expect(JSON.parse(status.out)).toMatchObject({ input: 'in/a.jsonl and 4 more' });
  });

  test('is resumed with inputs that were moved, all of them in their order', async () => {
    const world = worldWith(FILES);
    const begun = ['run', 'fail', '--input', 'in/*', '--out', 'r.jsonl', '--max-failures', '0', '--in-flight', '1'];
    const first = await berthIn(world, ['--local', 'jobs', 'batch', ...begun]);
    expect(first.err).toContain('Stopped submitting: more failures');
    renameSync(join(world.directory, 'in'), join(world.directory, 'moved'));
    const resume = (...inputs: readonly string[]) =>
      berthIn(world, [
        ...['--local', '--json', 'jobs', 'batch', 'resume', 'r.jsonl'],
        ...['--max-failures', '7', ...inputs.flatMap((input) => ['--input', input])],
      ]);
    const refused = await resume('moved/a.jsonl');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('names 1 of the 5 inputs')]);
    const otherOrder = await resume(
      ...['b.jsonl.gz', 'a.jsonl', 'c.csv', 'd.csv.gz', 'e.jsonl'].map((name) => `moved/${name}`),
    );
    expect([otherOrder.code, otherOrder.err]).toEqual([14, expect.stringContaining('is not the one this batch')]);
    const resumed = await resume('moved/[ab]*', 'moved/c.csv', 'moved/d.csv.gz', 'moved/e.jsonl');
    // The job that was in progress may be lost with the first process, which ran the local service too.
    const { planned, failed, expired, waiting } = JSON.parse(resumed.out) as Readonly<Record<string, number>>;
    expect([resumed.code, planned, (failed ?? 0) + (expired ?? 0), waiting]).toEqual([13, 7, 7, 0]);
  });

  test.each<readonly [string, readonly string[], number, string]>([
    ['a glob matches nothing', ['no/*.jsonl'], 2, '--input no/*.jsonl matches nothing'],
    ['one of them is missing', ['in/a.jsonl', 'in/missing'], 14, 'cannot read in/missing: it does not exist'],
    ['one is named twice', ['in/a.jsonl', 'in/*.jsonl'], 2, 'twice'],
    ['stdin is one of several', ['in/a.jsonl', '-'], 2, 'use either "-" (stdin) or input files'],
    ['an item cannot be sent', ['in/a.jsonl', 'bad.jsonl.gz'], 2, 'bad.jsonl.gz, line 2, column 2: it is not JSON'],
    ['a compressed file is damaged', ['torn.jsonl.gz'], 14, 'torn.jsonl.gz: corrupt or truncated'],
    ['no item is there', ['in/e.jsonl', 'empty.jsonl.gz'], 2, 'contains no items to send'],
    ['one is an object', ['s3://bucket/a'], 14, 'cannot read s3://bucket/a: it does not exist'],
  ])('is refused before anything is sent when %s', async (_, argv, exit, message) => {
    const world = worldWith({
      ...FILES,
      'bad.jsonl.gz': gzipSync('1\n{bad\n'),
      'torn.jsonl.gz': gzipSync(lines(1, 2, 3)).subarray(0, -9),
      'empty.jsonl.gz': gzipSync('\n'),
    });
    const flags = argv.flatMap((word) => ['--input', word]);
    const ran = await run(world, ...flags);
    expect(ran.err).toContain(message);
    expect(ran.code).toBe(exit);
  });
});

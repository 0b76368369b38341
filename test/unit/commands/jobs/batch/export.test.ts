import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createBatchWorld, OUT, read, RUN, secondProcess, write } from '../../../../support/batch/command-fixture.ts';
import { mixedItems, writeBatch } from '../../../../support/batch/written-batch.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../../support/worlds/test-world.ts';

const EXPORT = ['jobs', 'batch', 'export', OUT];

interface Row {
  readonly item: number;
  readonly status: string;
  readonly input?: unknown;
  readonly output: unknown;
}

const rowsOf = ({ out }: Ran): readonly Row[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

function worldWith(count: number, options?: Parameters<typeof writeBatch>[2]): TestWorld {
  const world = createTestWorld();
  writeBatch(world.directory, mixedItems(count), options);
  return world;
}

describe('an export', () => {
  test.each(['csv', 'json'])('as %s', async (format) => {
    const ran = await berthIn(worldWith(20), [...EXPORT, '--format', format, '--join-input']);
    expect([ran.code, ran.err]).toEqual([0, '1 item without a result: 1 waiting.\n']);
    await expect(ran.out).toMatchFileSnapshot(`../../../../golden/jobs/batch-export.${format}`);
  });

  test('joins each result with its input, in the order of the input, whatever the order of the results', async () => {
    const rows = rowsOf(await berthIn(worldWith(2000, { reversed: true }), [...EXPORT, '--join-input']));
    expect(rows).toHaveLength(1900);
    expect(rows.map(({ item }) => item)).toEqual(rows.map(({ item }) => item).toSorted((a, b) => a - b));
    for (const { item, input } of rows) expect(input).toEqual({ n: item });
  });

  test.each([
    ['failed', (status: string) => status === 'FAILED'],
    ['completed,timed-out', (status: string) => status === 'COMPLETED' || status === 'TIMED_OUT'],
    ['expired', (status: string) => status === 'EXPIRED'],
  ])('with --status %s has only the items that ended so', async (states, isChosen) => {
    const world = worldWith(200);
    const all = rowsOf(await berthIn(world, EXPORT));
    const chosen = all.filter(({ status }) => isChosen(status));
    expect(chosen.length).toBeGreaterThan(0);
    expect(rowsOf(await berthIn(world, [...EXPORT, '--status', states]))).toEqual(chosen);
    const joined = rowsOf(await berthIn(world, [...EXPORT, '--status', states, '--join-input']));
    expect(joined.map(({ item, input }) => [item, input])).toEqual(chosen.map(({ item }) => [item, { n: item }]));
    const argv = [...EXPORT, '--status', states, '--format', 'csv', '--out', 'e.csv'];
    expect((await berthIn(world, argv)).err).toContain(`wrote ${String(chosen.length)} rows to e.csv`);
  });

  test('keeps numbers exact, and picks members with --fields', async () => {
    const world = createTestWorld();
    writeBatch(world.directory, [{ ending: 'completed', output: { big: 1 } }]);
    const exact = readFileSync(join(world.directory, OUT), 'utf8');
    expect(exact).toContain('"big":1');
    const there = await createBatchWorld();
    write(there, 'in.jsonl', '{"big":9007199254740993,"x":1.0}\n');
    await berthIn(there, RUN);
    const ran = await berthIn(secondProcess(there), [...EXPORT, '--join-input', '--fields', 'input,output.big']);
    expect(ran.out).toBe('{"input":{"big":9007199254740993,"x":1.0},"output":{"big":9007199254740993}}\n');
    const csv = await berthIn(secondProcess(there), [...EXPORT, '--format', 'csv', '--fields', 'item,output.big']);
    expect(csv.out).toBe('item,output.big\n1,9007199254740993\n');
  });

  test('to a file replaces it only when it is complete', async () => {
    const world = worldWith(40);
    writeFileSync(join(world.directory, 'e.csv'), 'old');
    const refused = await berthIn(world, [...EXPORT, '--format', 'csv', '--out', 'e.csv']);
    expect([refused.code, refused.err]).toEqual([14, expect.stringContaining('exists already')]);
    expect([refused.err, read(world, 'e.csv')]).toEqual([expect.stringContaining('--force'), 'old']);
    const ran = await berthIn(world, [...EXPORT, '--format', 'csv', '--out', 'e.csv', '--force']);
    expect([ran.code, ran.out, ran.err]).toEqual([
      0,
      '',
      'wrote 38 rows to e.csv\n2 items without a result: 2 waiting.\n',
    ]);
    expect(read(world, 'e.csv').split('\n')).toHaveLength(40);
    // The results change between the check and the last row.
    writeFileSync(join(world.directory, 'in.jsonl'), 'something else');
    const failed = await berthIn(world, [...EXPORT, '--join-input', '--out', 'e.csv', '--force']);
    expect([failed.code, failed.err]).toEqual([
      14,
      expect.stringContaining('is not the one this batch was begun with'),
    ]);
    expect(read(world, 'e.csv').split('\n')).toHaveLength(40);
    expect(readdirSync(world.directory).filter((name) => name.includes('exporting'))).toEqual([]);
  });

  test.each([OUT, `${OUT}.journal`, 'in.jsonl', './in.jsonl'])('never overwrites %s', async (name) => {
    const world = worldWith(4);
    const before = read(world, name);
    expect((await berthIn(world, [...EXPORT, '--out', name])).code).toBe(2);
    expect(read(world, name)).toBe(before);
  });

  test.each([
    [['--out', '.'], 14],
    [['--out', 'no/such/folder/x'], 14],
    [['-o', 'yaml'], 2],
    [['--jq', '.item'], 2],
  ] as const)('refuses %j before the first row', async (flags, code) => {
    const ran = await berthIn(worldWith(4), [...EXPORT, ...flags]);
    expect([ran.code, ran.out]).toEqual([code, '']);
  });
});

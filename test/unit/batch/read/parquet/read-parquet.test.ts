import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  createBatchWorld,
  OUT,
  read,
  RESUME,
  summary,
  type BatchWorld,
} from '../../../../support/batch/command-fixture.ts';
import { parquetBytes } from '../../../../support/parquet/parquet-bytes.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';

const FILES = join(import.meta.dirname, '../../../../support/parquet');
const RUN = ['jobs', 'batch', 'run', 'echo', '--out', OUT, '--input'];

async function worldWith(name: string, bytes?: Uint8Array): Promise<BatchWorld> {
  const world = await createBatchWorld();
  if (bytes === undefined) copyFileSync(join(FILES, name), join(world.directory, name));
  else writeFileSync(join(world.directory, name), bytes);
  return world;
}

/** The results of a batch on `echo`, whose output is the input, in the order of the items. */
const resultsIn = (world: BatchWorld): readonly string[] =>
  read(world, OUT)
    .trimEnd()
    .split('\n')
    .toSorted((one, other) => Number(/\d+/.exec(one)?.[0]) - Number(/\d+/.exec(other)?.[0]));

/** The JSON text of each output, with its digits. */
const outputsIn = (world: BatchWorld): readonly string[] =>
  resultsIn(world).map((line) => /"output":(.*),"(?:error|delayTime)"/.exec(line)?.[1] ?? line);

describe('a Parquet file as the input of a batch', () => {
  test('has a row for each item, and loses no digit of any type', async () => {
    const world = await worldWith('all-types.parquet');
    const ran = await berthIn(world, [...RUN, 'all-types.parquet', '--json']);
    expect([ran.code, summary(ran)['completed']]).toEqual([0, 3]);
    const text = outputsIn(world)
      .map((row) => row.replaceAll(/,(?=\x22[\w.]+\x22:)/g, ',\n  '))
      .join('\n');
    await expect(`${text}\n`).toMatchFileSnapshot('../../../../golden/jobs/batch-parquet-types.txt');
  });

  test.each(['none', 'snappy', 'gzip', 'brotli', 'zstd', 'lz4'])(
    'is read when it is compressed with %s',
    async (codec) => {
      const world = await worldWith(`${codec}.parquet`);
      expect((await berthIn(world, [...RUN, `${codec}.parquet`])).code).toBe(0);
      const long = 'a'.repeat(100);
      expect(outputsIn(world)).toEqual([`{"n":1,"s":"${long}"}`, '{"n":2,"s":"b"}', `{"n":3,"s":"${long}"}`]);
    },
  );

  test('gives a column as the input and another as the label', async () => {
    const world = await worldWith('all-types.parquet');
    const flags = ['--input-field', 'struct', '--id-field', 'i64'];
    // The input of the last row is null.
    const refused = await berthIn(world, [...RUN, 'all-types.parquet', ...flags]);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('it is not a JSON object')]);
    expect((await berthIn(world, [...RUN, 'all-types.parquet', ...flags, '--skip-invalid'])).code).toBe(0);
    expect(outputsIn(world)[0]).toBe('{"a":1,"b.c":"x","__proto__":{"x":true}}');
    expect(resultsIn(world).map((line) => /"id":([^,]+)/.exec(line)?.[1])).toEqual([
      '9007199254740993',
      '-9223372036854775808',
    ]);
  });

  test('needs the columns that it is asked for', async () => {
    const world = await worldWith('none.parquet');
    const ran = await berthIn(world, [...RUN, 'none.parquet', '--id-field', 'nope']);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('no column is named "nope"')]);
    expect(ran.err).toContain('There are n, s.');
    expect((await berthIn(world, [...RUN, 'none.parquet', '--types', 'n:number'])).code).toBe(2);
  });

  test('has a name of any kind with --input-format', async () => {
    const world = await worldWith('rows', readFileSync(join(FILES, 'none.parquet')));
    expect((await berthIn(world, [...RUN, 'rows'])).code).toBe(2);
    expect((await berthIn(world, [...RUN, 'rows', '--input-format', 'parquet'])).code).toBe(0);
    expect(outputsIn(world)).toHaveLength(3);
  });

  test('names the row and the column of a value that has no form in JSON', async () => {
    const bytes = parquetBytes({
      columnData: [{ name: 'text', data: [Buffer.from('good'), Buffer.from([0xff, 0xfe]), Buffer.from('last')] }],
      schema: [
        { name: 'root', num_children: 1 },
        { name: 'text', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
      ],
    });
    const world = await worldWith('rows.parquet', bytes);
    const ran = await berthIn(world, [...RUN, 'rows.parquet']);
    expect([ran.code, ran.err]).toEqual([
      2,
      expect.stringContaining('rows.parquet, row 2: column "text": it is not UTF-8 text'),
    ]);
    expect((await berthIn(world, [...RUN, 'rows.parquet', '--skip-invalid'])).code).toBe(0);
    expect(outputsIn(world)).toEqual(['{"text":"good"}', '{"text":"last"}']);
  });

  test('is the same file after an interruption, or the batch is not resumed', async () => {
    const world = await worldWith('rows.parquet', readFileSync(join(FILES, 'none.parquet')));
    expect((await berthIn(world, [...RUN, 'rows.parquet'])).code).toBe(0);
    expect((await berthIn(world, RESUME)).code).toBe(0);
    writeFileSync(join(world.directory, 'rows.parquet'), readFileSync(join(FILES, 'gzip.parquet')));
    const ran = await berthIn(world, RESUME);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('is not the one this batch was begun with')]);
  });

  test('is joined to its results by an export', async () => {
    const world = await worldWith('none.parquet');
    await berthIn(world, [...RUN, 'none.parquet']);
    const ran = await berthIn(world, ['jobs', 'batch', 'export', OUT, '--join-input', '--fields', 'item,input.n']);
    expect(ran.out).toBe('{"item":1,"input":{"n":1}}\n{"item":2,"input":{"n":2}}\n{"item":3,"input":{"n":3}}\n');
  });

  test('counts the rows of a dry run, and cannot be checked from a pipe', async () => {
    const world = await worldWith('all-types.parquet');
    const ran = await berthIn(world, [...RUN, 'all-types.parquet', '--dry-run', '--json']);
    expect([ran.code, summary(ran)['planned']]).toEqual([0, 3]);
    expect((await berthIn(world, [...RUN, '-', '--input-format', 'parquet', '--dry-run'])).code).toBe(2);
  });
});

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { createBatchWorld, OUT, RUN, secondProcess, write } from '../../../../support/batch/command-fixture.ts';
import { mixedItems, writeBatch } from '../../../../support/batch/written-batch.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../../support/worlds/test-world.ts';

const EXPORT = ['jobs', 'batch', 'export', OUT, '--format', 'parquet', '--out', 'e.parquet'];

const fileOf = (world: TestWorld): ArrayBuffer =>
  new Uint8Array(readFileSync(join(world.directory, 'e.parquet'))).buffer;

const rowsIn = (world: TestWorld): Promise<readonly Record<string, unknown>[]> =>
  parquetReadObjects({ file: fileOf(world), parsers: { jsonFromBytes: textOf } });

/** JSON columns as their text. */
const textOf = (bytes: Uint8Array | undefined): string | null =>
  bytes === undefined ? null : Buffer.from(bytes).toString();

/** The name and type of each column. */
const columnsIn = (world: TestWorld): readonly string[] =>
  parquetMetadata(fileOf(world))
    .schema.slice(1)
    .map(({ name, type, converted_type, logical_type }) =>
      [name, type, converted_type ?? logical_type?.type].filter((part) => part !== undefined).join(' '),
    );

describe('an export as Parquet', () => {
  test('has the rows of JSON lines, with a type for each column', async () => {
    const world = createTestWorld();
    writeBatch(world.directory, mixedItems(40));
    const ran = await berthIn(world, [...EXPORT, '--join-input']);
    expect([ran.code, ran.err]).toEqual([0, '38 rows written to e.parquet.\n2 items without a result: 2 waiting.\n']);
    expect(columnsIn(world)).toEqual([
      'item INT64',
      'id BYTE_ARRAY UTF8',
      'job BYTE_ARRAY UTF8',
      'status BYTE_ARRAY UTF8',
      'input BYTE_ARRAY JSON',
      'output BYTE_ARRAY JSON',
      'error BYTE_ARRAY UTF8',
      'delayTime INT64',
      'executionTime INT64',
    ]);
    const lines = (await berthIn(world, ['jobs', 'batch', 'export', OUT, '--join-input'])).out.trimEnd().split('\n');
    const rows = (await rowsIn(world)).map((row) => ({
      ...row,
      item: Number(row['item']),
      input: JSON.parse(row['input'] as string) as unknown,
      output:
        row['output'] === undefined || row['output'] === null ? null : (JSON.parse(row['output'] as string) as unknown),
      delayTime: row['delayTime'] === null ? null : Number(row['delayTime']),
      executionTime: row['executionTime'] === null ? null : Number(row['executionTime']),
    }));
    expect(rows).toEqual(lines.map((line) => JSON.parse(line) as unknown));
  });

  test('gives the columns of --fields the type of their values', async () => {
    const world = await createBatchWorld();
    const inputs = [
      '{"text":"a","big":9007199254740993,"mixed":1,"ratio":1,"flag":true,"precise":0.1}',
      '{"text":"\\u00e9","big":-1,"mixed":"x","ratio":2.50,"flag":false,"precise":0.12345678901234567890,"list":[1]}',
    ];
    write(world, 'in.jsonl', inputs.map((line) => `${line}\n`).join(''));
    await berthIn(world, RUN);
    const names = ['text', 'big', 'mixed', 'ratio', 'flag', 'precise', 'list', 'absent'];
    const fields = ['item', ...names.map((name) => `output.${name}`)].join(',');
    const ran = await berthIn(secondProcess(world), [...EXPORT, '--ordered', '--fields', fields]);
    expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('no result has output.absent.')]);
    expect(columnsIn(world)).toEqual([
      'item INT64',
      'output.text BYTE_ARRAY UTF8',
      'output.big INT64',
      'output.mixed BYTE_ARRAY JSON',
      'output.ratio DOUBLE',
      'output.flag BOOLEAN',
      'output.precise BYTE_ARRAY JSON',
      'output.list BYTE_ARRAY JSON',
      'output.absent BYTE_ARRAY UTF8',
    ]);
    const rows = await rowsIn(world);
    expect(rows.map((row) => Object.values(row))).toEqual([
      [1n, 'a', 9007199254740993n, '1', 1, true, '0.1', null, null],
      [2n, '\u00e9', -1n, '"x"', 2.5, false, '0.12345678901234567890', '[1]', null],
    ]);
  });

  test('needs a file, replaces one only with --force, and of an empty batch has no row and the same types', async () => {
    const world = createTestWorld();
    writeBatch(world.directory, [undefined]);
    expect((await berthIn(world, ['jobs', 'batch', 'export', OUT, '--format', 'parquet'])).code).toBe(2);
    writeFileSync(join(world.directory, 'e.parquet'), 'old');
    expect((await berthIn(world, EXPORT)).code).toBe(14);
    expect(readFileSync(join(world.directory, 'e.parquet'), 'utf8')).toBe('old');
    expect((await berthIn(world, [...EXPORT, '--force'])).code).toBe(0);
    expect(await rowsIn(world)).toEqual([]);
    expect(columnsIn(world)).toEqual([
      'item INT64',
      'id BYTE_ARRAY UTF8',
      'job BYTE_ARRAY UTF8',
      'status BYTE_ARRAY UTF8',
      'output BYTE_ARRAY JSON',
      'error BYTE_ARRAY UTF8',
      'delayTime INT64',
      'executionTime INT64',
    ]);
    expect(existsSync(join(world.directory, 'e.parquet.exporting'))).toBe(false);
  });

  test('has more than one group of rows when there are many', async () => {
    const world = createTestWorld();
    writeBatch(
      world.directory,
      Array.from({ length: 50_100 }, () => ({ ending: 'completed' as const, output: 'x' })),
    );
    expect((await berthIn(world, EXPORT)).code).toBe(0);
    const { row_groups: groups, num_rows: rows } = parquetMetadata(fileOf(world));
    expect([groups.length, rows]).toEqual([2, 50_100n]);
  });
});

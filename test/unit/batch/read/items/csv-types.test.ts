import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseColumnTypes } from '../../../../../src/batch/read/csv.ts';
import type { ColumnTypes, InputFormat, InvalidItem, Item } from '../../../../../src/batch/read/items.ts';
import { readItems } from '../../../../../src/batch/read/read-items.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';
import {
  createBatchWorld,
  OUT,
  read,
  RESUME,
  secondProcess,
  write,
} from '../../../../support/batch/command-fixture.ts';

async function rowsOf(csv: string, types: ColumnTypes | undefined, more: Partial<InputFormat> = {}) {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(csv);
  }
  const format: InputFormat = { path: 'in.csv', format: 'csv', maxBytes: 10_000_000, ...(types && { types }), ...more };
  const items: (Item | InvalidItem)[] = [];
  for await (const group of readItems(chunks(), format)) items.push(...group);
  return items.map((item) => (item.kind === 'invalid' ? item.reason : Buffer.from(item.input).toString('utf8')));
}

describe('typed columns of a CSV file', () => {
  test('hold numbers with all their digits, booleans and JSON; others hold text', async () => {
    const types = parseColumnTypes('price:number, on:boolean,tags:json');
    const csv = 'name,price,on,tags\n1,9007199254740993,TRUE,"{""a"": 1.0}"\n2, 1.10 ,false,[]\n3,,,\n';
    expect(await rowsOf(csv, types)).toEqual([
      '{"name":"1","price":9007199254740993,"on":true,"tags":{"a": 1.0}}',
      '{"name":"2","price":1.10,"on":false,"tags":[]}',
      '{"name":"3","price":null,"on":null,"tags":null}',
    ]);
  });

  test('are named by the header too; --types has precedence; a name may have colons', async () => {
    const csv = 'a:number,b:json,c:d:number,f:string\n1,2,3,5\n';
    expect(await rowsOf(csv, { b: 'string' })).toEqual(['{"a":1,"b":"2","c:d":3,"f":"5"}']);
    await expect(rowsOf('e:other\n1\n', {})).rejects.toThrow('"e:other": other is not a type');
  });

  test.each([
    ['number', 'abc', '"abc" is not a number'],
    ['number', '007', '"007" is not a number'],
    ['number', '+5', '"+5" is not a number'],
    ['number', '"1,000"', '"1,000" is not a number'],
    ['number', 'NaN', '"NaN" is not a number'],
    ['number', '0x10', '"0x10" is not a number'],
    ['boolean', 'yes', '"yes" is neither true nor false'],
    ['boolean', '1', '"1" is neither true nor false'],
    ['json', '{a', '"{a": it is not JSON'],
    ['json', 'x'.repeat(100), `"${'x'.repeat(40)}…": it is not JSON`],
  ] as const)('%s: %s is refused with its row and column', async (type, cell, reason) => {
    const [, second = ''] = await rowsOf(`c,d\n"",x\n${cell},x\n`, { c: type });
    expect(second).toContain(`row 2, column "c": ${reason}`);
  });

  test('give back every number that JSON has', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ noNaN: true, noDefaultInfinity: true }), async (number) => {
        const text = JSON.stringify(number);
        expect(await rowsOf(`n:number\n${text}\n`, {})).toEqual([`{"n":${text}}`]);
      }),
    );
  });

  test('the value of a typed column is also the label', async () => {
    expect(await rowsOf('sku:number\n7\n', {}, { idField: 'sku' })).toEqual(['{"sku":7}']);
  });

  test.each(['', 'price', 'price:float', ':number', 'a:number,a:json', 'a:number,'])(
    '--types %j is refused',
    (text) => {
      expect(() => parseColumnTypes(text)).toThrow(expect.objectContaining({ exit: 2 }) as Error);
    },
  );
});

describe('a batch of a CSV file with types', () => {
  const run = (...flags: string[]): string[] => [
    ...['jobs', 'batch', 'run', 'echo', '--input', 'in.csv', '--out', OUT],
    ...flags,
  ];

  test('sends numbers, also after a resume', async () => {
    const world = await createBatchWorld();
    write(world, 'in.csv', 'price:number,note\n9007199254740993,x\n2.50,y\n');
    const stopped = await berthIn(world, run('--types', 'note:json', '--max-time', '1ms'));
    expect(stopped.code).toBe(2);
    expect(stopped.err).toContain('row 1, column "note": "x": it is not JSON');
    expect(stopped.err).toContain('nothing was sent');
    expect((await berthIn(secondProcess(world), run('--max-time', '1ms'))).code).toBe(9);
    expect((await berthIn(secondProcess(world), [...RESUME, '--max-time', '1h'])).code).toBe(0);
    const outputs = read(world, OUT)
      .trimEnd()
      .split('\n')
      .map((line) => /"output":(\{[^}]*\})/.exec(line)?.[1])
      .toSorted();
    expect(outputs).toEqual(['{"price":2.50,"note":"y"}', '{"price":9007199254740993,"note":"x"}']);
  });

  test.each([
    [['--types', 'gone:number'], 'no column is named "gone"'],
    [['--types', 'price:number', '--input-field', 'note'], '--types and --input-field exclude each other'],
    [['--types', 'price:number', '--input-format', 'jsonl'], '--types is for a CSV file'],
  ] as const)('%j is refused before anything is sent', async (flags, said) => {
    const world = await createBatchWorld();
    write(world, 'in.csv', 'price,note\n1,{}\n');
    const ran = await berthIn(world, run(...flags));
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(said)]);
  });
});

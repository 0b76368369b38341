import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InputFormat, InvalidItem, Item } from '../../../../../src/batch/read/items.ts';
import { readItems } from '../../../../../src/batch/read/read-items.ts';

async function rowsOf(csv: string): Promise<readonly string[]> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(csv);
  }
  const format: InputFormat = { path: 'in.csv', format: 'csv', maxBytes: 10_000_000 };
  const items: (Item | InvalidItem)[] = [];
  for await (const group of readItems(chunks(), format)) items.push(...group);
  return items.map((item) => (item.kind === 'invalid' ? item.reason : Buffer.from(item.input).toString('utf8')));
}

describe('typed columns of a CSV file', () => {
  test('hold numbers with all their digits, booleans and JSON; others hold text; a name may have colons', async () => {
    const csv =
      'name,price:number,on: boolean,tags:json,c:d:number,f:string\n1,9007199254740993,TRUE,"{""a"": 1.0}",3,5\n';
    expect(await rowsOf(`${csv}2, 1.10 ,false,[],,6\n3,,,,,\n`)).toEqual([
      '{"name":"1","price":9007199254740993,"on":true,"tags":{"a": 1.0},"c:d":3,"f":"5"}',
      '{"name":"2","price":1.10,"on":false,"tags":[],"c:d":null,"f":"6"}',
      '{"name":"3","price":null,"on":null,"tags":null,"c:d":null,"f":""}',
    ]);
  });

  test.each([
    ['number', 'abc', '"abc" is not a number'],
    ['number', '007', '"007" is not a number'],
    ['number', '"1,000"', '"1,000" is not a number'],
    ['number', 'NaN', '"NaN" is not a number'],
    ['boolean', '1', '"1" is neither true nor false'],
    ['json', '{a', '"{a": it is not JSON'],
    ['json', 'x'.repeat(100), `"${'x'.repeat(40)}…": it is not JSON`],
  ])('%s: %s is refused with its row and column', async (type, cell, reason) => {
    const [, second = ''] = await rowsOf(`c:${type},d\n"",x\n${cell},x\n`);
    expect(second).toContain(`row 2, column "c": ${reason}`);
  });

  test('give back every number that JSON has', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ noNaN: true, noDefaultInfinity: true }), async (number) => {
        const text = JSON.stringify(number);
        expect(await rowsOf(`n:number\n${text}\n`)).toEqual([`{"n":${text}}`]);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeInvalid, type InputFormat, type InvalidItem, type Item } from '../../../../../src/batch/read/items.ts';
import { readItems } from '../../../../../src/batch/read/read-items.ts';
import { formatOf } from '../../../../support/batch/input-format.ts';

const JSONL: InputFormat = formatOf({ path: 'items.jsonl', format: 'jsonl' });
const CSV: InputFormat = formatOf({ path: 'items.csv', format: 'csv' });

/** In pieces of one size, so that lines and characters lie across them. */
async function* pieces(bytes: Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

async function read(
  content: string | Uint8Array,
  shape: InputFormat = JSONL,
  size?: number,
): Promise<(Item | InvalidItem)[]> {
  const found: (Item | InvalidItem)[] = [];
  for await (const items of readItems(pieces(Buffer.from(content), size), shape)) found.push(...items);
  return found;
}

const inputs = (items: readonly (Item | InvalidItem)[]): string[] =>
  items.map((item) => (item.kind === 'invalid' ? `bad: ${item.reason}` : Buffer.from(item.input).toString()));

describe('JSON Lines input', () => {
  test('is sent byte for byte, at whatever offsets the chunks are cut', async () => {
    const line = fc.json().map((text) => `{"x": ${text.replaceAll('\n', ' ').trim()} }`);
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.integer({ min: 1, max: 40 }), async (texts, size) => {
        expect(inputs(await read(texts.map((text) => `${text}\n`).join(''), JSONL, size))).toEqual(texts);
      }),
    );
  });

  test.each([
    ['a byte order mark', '\uFEFF{"a":1}\n', ['{"a":1}']],
    ['line feeds of another kind', '{"a":1}\r\n{"b":2}\r\n', ['{"a":1}', '{"b":2}']],
    ['no line feed at the end', '{"a":1}', ['{"a":1}']],
    ['empty lines', '\n{"a":1}\n  \n\n{"b":2}\n', ['{"a":1}', '{"b":2}']],
    [
      'numbers no double holds',
      '{"n":9007199254740993,"e":1e400,"z":1.0}\n',
      ['{"n":9007199254740993,"e":1e400,"z":1.0}'],
    ],
    ['nothing', '', []],
  ])('with %s', async (_, content, expected) => {
    expect(inputs(await read(content))).toEqual(expected);
  });

  test.each([
    ['a trailing comma', '{"a":1}\n{"b":2,}\n', 2, 8],
    ['NaN', '{"n":NaN}\n', 1, 6],
    ['white space before it', ' \t{"n":NaN}\n', 1, 8],
    ['a byte order mark of its own', '\uFEFF{"a":1}\n \uFEFF{"a":2}\n', 2, 2],
    ['two byte order marks', '\uFEFF\uFEFF{"a":1}\n', 1, 1],
    ['what is cut off', '\n\n{"a":\n', 3, 6],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0x61, 0xff, 0x22, 0x0a]), 1, 3],
  ])('with %s are bad, by line and column', async (_, content, line, column) => {
    const bad = (await read(content)).find((item): item is InvalidItem => item.kind === 'invalid');
    expect(bad).toMatchObject({ line, column });
    expect(bad === undefined ? '' : describeInvalid('x.jsonl', bad)).toContain(`x.jsonl, line ${String(line)}, column`);
  });

  test('takes the input from one member and the id from another, unchanged', async () => {
    const shape = { ...JSONL, inputField: 'in', idField: 'key' };
    const found = await read('{"key": 1.0, "x":[1], "in" : { "a":\t9007199254740993 } }\n{"key":2}\n', shape);
    expect(found[0]).toMatchObject({ id: '1.0' });
    expect(inputs(found)).toEqual(['{ "a":\t9007199254740993 }', 'bad: it has no member "in"']);
  });

  test.each(['[1]', '"text"', ' 7', 'null', 'true'])('refuses an item that is no object: %s', async (text) => {
    const reason = 'bad: it is not a JSON object, and the service accepts objects only';
    expect(inputs(await read(`{"a":1}\n${text}\n`))).toEqual(['{"a":1}', reason]);
    const field = { ...JSONL, inputField: 'in' };
    expect(inputs(await read(`{"in": ${text}}\n{"in": {"a":1}}\n`, field))).toEqual([reason, '{"a":1}']);
  });

  test('accepts an item of exactly the payload limit and rejects one byte more', async () => {
    const line = (bytes: number): string => `{"x":"${'x'.repeat(bytes - '{"input":{"x":""}}'.length)}"}\n`;
    const found = await read(line(10_000_000) + line(10_000_001), JSONL, 1_000_003);
    expect(found.map(({ kind }) => kind)).toEqual(['item', 'invalid']);
    expect(found[1]).toMatchObject({ reason: expect.stringContaining('10000001 bytes') as string });
  });
});

describe('CSV', () => {
  test('gives one object of columns per row, whatever the cells contain', async () => {
    const found = await read('\uFEFFname,text\nä,"one, ""two""\nthree"\n__proto__,4\n', CSV);
    expect(inputs(found).map((text) => JSON.parse(text) as unknown)).toEqual([
      { name: 'ä', text: 'one, "two"\nthree' },
      { name: '__proto__', text: '4' },
    ]);
  });

  test('takes the input from one column, byte for byte, and the id from another', async () => {
    const shape = { ...CSV, inputField: 'in', idField: 'sku' };
    const found = await read('sku,in\nA 1,"{""n"": 9007199254740993}"\nB,{n}\n', shape);
    expect(found).toMatchObject([{ id: '"A 1"' }, { kind: 'invalid', line: 3 }]);
    expect(inputs(found)[0]).toBe('{"n": 9007199254740993}');
  });

  test.each([
    ['too few fields', 'a,b\n1,2\n\n"x\ny"\n3,4\n', 4, 'fields: 1; columns that the header names: 2'],
    ['too many', 'a\n1,2\n2\n', 2, 'fields: 2; columns that the header names: 1'],
    [
      'bytes that are no text',
      Buffer.concat([Buffer.from('\uFEFFa,b\nx,'), Buffer.of(0xe9), Buffer.from('\n1,2')]),
      2,
      'column "b": it is not UTF-8 text',
    ],
    ['what is no JSON', 'b,name\n1,{\n', 2, 'column "name": it is not JSON', { inputField: 'name' }],
  ])(
    'a row with %s is bad, by the line it begins in',
    async (_, content, line, reason, more?: Partial<InputFormat>) => {
      const found = await read(content, { ...CSV, ...more });
      const bad = found.find((item): item is InvalidItem => item.kind === 'invalid');
      expect(bad).toMatchObject({ line, reason: expect.stringContaining(reason) as string });
    },
  );

  test.each([
    ['a column named twice', 'a,a\n1,2\n', 'line 1', 'names its columns'],
    ['a column without a name', 'a,,c\n1,2,3\n', 'line 1: column 2 has no name', 'names its columns'],
    ['columns apart by semicolons', '\na;b\n1;2\n', 'line 2: the header names one column, "a;b"', 'commas'],
    ['columns apart by tabs', 'a\tb\n1\t2\n', 'line 1: the header names one column, "a\\tb"', 'commas'],
    ['a header that is no text', Buffer.of(0x61, 0xff, 0x0a, 0x31), 'line 1: the header is not UTF-8', 'as UTF-8'],
    ['a quote that is never closed', 'a\n1\n\n"x\n2\n3\n', 'line 4: the row', '--skip-invalid does not'],
    ['text behind a quote', 'a,b\n"x\n" y,2\n', 'line 2: the row', '--skip-invalid does not'],
    ['a quote in a field', 'a,b\n1,2\nx"y,2\n', 'line 3: the row', '--skip-invalid does not'],
  ])('with %s is refused by line', async (_, content, words, hint) => {
    await expect(read(content, CSV)).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining(words) as string,
      hint: expect.stringContaining(hint) as string,
    });
  });

  test('does not read a whole long file into memory when a quote is never closed', async () => {
    let megabytes = 0;
    async function* long(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a\n1\n"');
      for (const piece = Buffer.alloc(1_000_000, 'x'); megabytes < 60; megabytes++) yield piece;
    }
    const reading = async (): Promise<void> => {
      for await (const _ of readItems(long(), CSV));
    };
    await expect(reading()).rejects.toMatchObject({
      exit: 2,
      message: expect.stringMatching(/line 3: .*40 MB/) as string,
    });
    expect(megabytes).toBeLessThan(50);
  });
});

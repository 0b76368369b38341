import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InputFormat, InvalidItem, Item } from '../../../../src/batch/read/items/item.ts';
import { readItems } from '../../../../src/batch/read/items/read-items.ts';
import { formatOf as formatByOptions } from '../../../../src/batch/plan/check-and-cut-inputs.ts';
import type { InputSource } from '../../../../src/batch/read/input-source.ts';
import type { PlannedRange } from '../../../../src/batch/read/range.ts';
import { openSource } from '../../../../src/batch/read/inputs.ts';
import { createFolderStorage } from '../../../../src/storage/folder-storage.ts';
import { memoryFiles } from '../../../support/batch/memory-files.ts';
import { openTestStorage } from '../../../support/storage/open-test-storage.ts';
import { chunksOf } from '../../../support/storage/storage-cases.ts';

const formatOf = (name: string): InputFormat => ({
  path: name,
  format: formatByOptions(name, {}),
  types: {},
  maxBytes: 10_000_000,
});

/** Opens files in memory, whose reads cross lines, as the inputs of a batch. */
async function openFiles(files: Readonly<Record<string, string | Uint8Array>>): Promise<readonly InputSource[]> {
  const ports = { storage: createFolderStorage(memoryFiles(files), () => 0.5), signal: new AbortController().signal };
  const sources: InputSource[] = [];
  for (const name of Object.keys(files)) {
    const object = await ports.storage.describe(name);
    if (object !== undefined) sources.push(openSource(ports, object, formatOf(name)));
  }
  return sources;
}

async function plan(sources: readonly InputSource[], itemsPerShard: number): Promise<readonly PlannedRange[]> {
  const shards: PlannedRange[] = [];
  let firstItem = 1;
  for (const [position, source] of sources.entries())
    for await (const range of source.plan(itemsPerShard, firstItem, () => undefined)) {
      firstItem += range.items;
      shards.push({ source: position, range });
    }
  return shards;
}

type Read = readonly (readonly [number, string])[];

async function readShards(sources: readonly InputSource[], shards: readonly PlannedRange[]): Promise<Read> {
  const all: (readonly [number, string])[] = [];
  for (const { source, range } of shards) {
    const before = all.length;
    for await (const items of sources[source]?.read(range) ?? []) for (const item of items) all.push(shown(item));
    expect(all.length - before).toBe(range.items);
  }
  return all;
}

const shown = (item: Item | InvalidItem): readonly [number, string] => [
  item.number,
  item.kind === 'item'
    ? `${Buffer.from(item.input).toString()} ${item.id ?? ''}`
    : `${String(item.line)}:${String(item.column)} ${item.reason}`,
];

/** The items of one plain file, read as a whole. */
async function readWhole(name: string, content: string | Uint8Array): Promise<Read> {
  const all: (readonly [number, string])[] = [];
  for await (const items of readItems(chunksOf(content), formatOf(name)))
    for (const item of items) all.push(shown(item));
  return all;
}

const LINE = fc.oneof(
  { weight: 6, arbitrary: fc.json({ maxDepth: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom('', '   ', '\t', '{broken', '\ufeff1') },
);
const LINES = fc
  .tuple(fc.array(LINE, { maxLength: 30 }), fc.constantFrom('\n', '\r\n'), fc.boolean(), fc.boolean())
  .map(([lines, end, mark, last]) => (mark ? '\ufeff' : '') + lines.join(end) + (last ? end : ''));
const CELL = fc.constantFrom('', 'a', 'é', '1,5', 'two\nlines', 'a "quote"', '\r\n');
const CSV = fc
  .tuple(fc.array(fc.tuple(CELL, CELL), { maxLength: 20 }), fc.constantFrom('\n', '\r\n'), fc.boolean(), fc.boolean())
  .map(([rows, end, mark, blank]) => {
    const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
    const lines = rows.map(([one, other]) => `${quoted(one)},${quoted(other)}${blank ? end : ''}`);
    return `${mark ? '\ufeff' : ''}"first\nname",b${end}${lines.join(end)}`;
  });

describe('the shards of an input', () => {
  test('have together the items of the whole input: JSON lines', async () => {
    await fc.assert(
      fc.asyncProperty(LINES, fc.integer({ min: 1, max: 7 }), async (content, size) => {
        const sources = await openFiles({ 'a.jsonl': content });
        const shards = await plan(sources, size);
        expect(await readShards(sources, shards)).toEqual(await readWhole('a.jsonl', content));
        expect(shards.slice(0, -1).every(({ range }) => range.items === size)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('have together the items of the whole input: CSV with line feeds in cells', async () => {
    await fc.assert(
      fc.asyncProperty(CSV, fc.integer({ min: 1, max: 7 }), async (content, size) => {
        const sources = await openFiles({ 'a.csv': content });
        expect(await readShards(sources, await plan(sources, size))).toEqual(await readWhole('a.csv', content));
      }),
      { numRuns: 300 },
    );
  });

  test('have together the items of all inputs, compressed or not, in any order', async () => {
    const compressed = fc.constantFrom('', '.gz');
    const file = fc.oneof(
      fc.tuple(fc.constant('jsonl'), LINES, compressed),
      fc.tuple(fc.constant('csv'), CSV, compressed),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(file, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 7 }),
        fc.infiniteStream(fc.nat()),
        async (files, size, order) => {
          const content: Record<string, string | Uint8Array> = {};
          const whole: (readonly [number, string])[] = [];
          for (const [position, [kind, text, extension]] of files.entries()) {
            const name = `${String(position)}.${kind}`;
            const before = whole.length;
            for (const [number, item] of await readWhole(name, text)) whole.push([number + before, item]);
            content[name + extension] = extension === '.gz' ? gzipSync(text) : text;
          }
          const sources = await openFiles(content);
          const shards = (await plan(sources, size))
            .map((shard) => [order.next().value, shard] as const)
            .toSorted(([one], [other]) => one - other)
            .map(([, shard]) => shard);
          const read = await readShards(sources, shards);
          expect(read.toSorted(([one], [other]) => one - other)).toEqual(whole);
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each(['a.jsonl', 'a.csv', 'a.jsonl.gz'])(
    'are not read when the content of %s was changed, and are read when only its time was',
    async (name) => {
      const { storage, directory } = openTestStorage();
      const path = join(directory, name);
      const write = (middle: string): void => {
        const text = `{"a":1}\n{"a":${middle}}\n{"a":3}\n`.replaceAll(name === 'a.csv' ? '"' : '\r', '');
        writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
        utimesSync(path, 1, 1);
      };
      write('2');
      const object = await storage.describe(path);
      if (object === undefined) throw new Error('no object');
      const ports = { storage, signal: new AbortController().signal };
      const shards = await plan([openSource(ports, object, formatOf(name))], 1);
      // As another process that reads the input later.
      const readAgain = async (): Promise<Read> => readShards([openSource(ports, object, formatOf(name))], shards);
      utimesSync(path, 2, 2);
      expect(await readAgain()).toHaveLength(name === 'a.csv' ? 2 : 3);
      write('5');
      await expect(readAgain()).rejects.toMatchObject({ exit: 14 });
      writeFileSync(path, '');
      await expect(readAgain()).rejects.toMatchObject({ exit: 14 });
      rmSync(path);
      await expect(readAgain()).rejects.toMatchObject({ exit: 14 });
    },
  );
});

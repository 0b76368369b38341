import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { formatOf } from '../../../../src/batch/plan/check-inputs.ts';
import { allItems, type CheckedInput, checkInput, inputItems } from '../../../../src/batch/read/inputs.ts';
import type { InvalidItem, Item } from '../../../../src/batch/read/items.ts';
import type { ObjectStorage } from '../../../../src/core/context.ts';
import { createFolderStorage } from '../../../../src/storage/folder-storage.ts';
import { memoryFiles } from '../../../support/batch/memory-files.ts';
import { openTestStorage } from '../../../support/storage/open-test-storage.ts';

const RULES = { format: { types: {} }, extras: '' };
const { signal } = new AbortController();

const portsOf = (storage: ObjectStorage) => ({ storage, signal });

/** Checks the inputs of these names, as a new batch does. */
async function check(storage: ObjectStorage, ...names: readonly string[]): Promise<readonly CheckedInput[]> {
  const checked: CheckedInput[] = [];
  let firstItem = 1;
  for (const name of names) {
    const object = await storage.describe(name);
    if (object === undefined) throw new Error(`no ${name}`);
    const input = { ...object, format: formatOf(name, {}), name: name.replace('/', '') };
    const last = await checkInput(portsOf(storage), RULES, input, firstItem, () => undefined);
    firstItem += last.items;
    checked.push(last);
  }
  return checked;
}

async function read(
  groups: AsyncIterable<Iterable<Item | InvalidItem>>,
): Promise<readonly (readonly [number, string])[]> {
  const all: (readonly [number, string])[] = [];
  for await (const items of groups)
    for (const item of items)
      all.push([item.number, item.kind === 'item' ? Buffer.from(item.input).toString() : `line ${String(item.line)}`]);
  return all;
}

test('the items of all inputs are numbered through them, compressed or not, and one input is open at a time', async () => {
  const files = {
    '/a.jsonl': '\ufeff{"n":1}\r\n\r\n{broken\n{"n":2}',
    '/b.csv': 'n,s\n3,"two\nlines"\n\n4,é',
    '/c.jsonl.gz': gzipSync('{"n":5}\n'),
    '/d.jsonl': '',
    '/e.csv.gz': gzipSync('n\n6\n'),
  };
  const storage = createFolderStorage(memoryFiles(files), () => 0.5);
  let open = 0;
  let mostOpen = 0;
  const counted: ObjectStorage = {
    ...storage,
    read: async function* (...args) {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      try {
        yield* storage.read(...args);
      } finally {
        open -= 1;
      }
    },
  };
  const sources = await check(counted, ...Object.keys(files));
  expect(sources.map(({ firstItem, items }) => [firstItem, items])).toEqual([
    [1, 3],
    [4, 2],
    [6, 1],
    [7, 0],
    [7, 1],
  ]);
  expect(await read(allItems(portsOf(counted), { ...RULES, sources }))).toEqual([
    [1, '{"n":1}'],
    [2, 'line 3'],
    [3, '{"n":2}'],
    [4, '{"n":"3","s":"two\\nlines"}'],
    [5, '{"n":"4","s":"é"}'],
    [6, '{"n":5}'],
    [7, '{"n":"6"}'],
  ]);
  expect([mostOpen, open]).toEqual([1, 0]);
});

test.each(['a.jsonl', 'a.csv', 'a.jsonl.gz'])(
  'no item is read when the content of %s was changed, and all are when only its time was',
  async (name) => {
    const { storage, directory } = openTestStorage();
    const path = join(directory, name);
    const write = (middle: string): void => {
      const text = `{"a":1}\n{"a":${middle}}\n{"a":3}\n`.replaceAll(name === 'a.csv' ? '"' : '\r', '');
      writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
      utimesSync(path, 1, 1);
    };
    write('2');
    const [input] = await check(storage, path);
    if (input === undefined) throw new Error('no input');
    const again = () => read(inputItems(portsOf(storage), RULES, input));
    utimesSync(path, 2, 2);
    expect(await again()).toHaveLength(input.items);
    write('5');
    await expect(again()).rejects.toMatchObject({ exit: 14 });
    writeFileSync(path, '');
    await expect(again()).rejects.toMatchObject({ exit: 14 });
    rmSync(path);
    await expect(again()).rejects.toMatchObject({ exit: 14 });
  },
);

test('an input that is changed after it was compared is not read any more, and is named as the user named it', async () => {
  const files = memoryFiles({ '/in.jsonl': '{"n":1}\n'.repeat(1000) });
  const storage = createFolderStorage(files, () => 0.5);
  const [input] = await check(storage, '/in.jsonl');
  if (input === undefined) throw new Error('no input');
  const groups = inputItems(portsOf(storage), RULES, input);
  await groups.next();
  files.files.set('/in.jsonl', Buffer.from('{"n":2}\n'.repeat(1001)));
  await expect(read(groups)).rejects.toMatchObject({
    exit: 14,
    message: 'the input in.jsonl was changed after it was checked',
  });
});

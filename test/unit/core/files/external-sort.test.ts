import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSorter, mapItems } from '../../../../src/core/external-sort.ts';
import type { SortedItems, UnnamedFile } from '../../../../src/core/file-ports.ts';
import { compareBytes } from '../../../../src/core/text.ts';

/** A file in memory that counts how many are open, and the largest one. */
function world() {
  const counts = { open: 0, opened: 0, bytes: 0 };
  const openUnnamed = (): Promise<UnnamedFile> => {
    let content = Buffer.alloc(0);
    counts.open += 1;
    counts.opened += 1;
    return Promise.resolve({
      write: (bytes, at) => {
        expect(at).toBe(content.byteLength);
        content = Buffer.concat([content, bytes]);
        counts.bytes = content.byteLength;
        return Promise.resolve();
      },
      read: (start, end) => Promise.resolve(content.subarray(start, end)),
      close: () => {
        counts.open -= 1;
        return Promise.resolve();
      },
    });
  };
  return { counts, files: { openUnnamed } };
}

interface Item {
  readonly key: string;
  readonly at: number;
}

async function all<T>(items: SortedItems<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function sortedOf(items: readonly Item[], groups: number) {
  const { counts, files } = world();
  const sorter = createSorter<Item>(files, ({ key }) => key);
  const size = Math.max(1, Math.ceil(items.length / groups));
  for (let at = 0; at < items.length; at += size) await sorter.add(items.slice(at, at + size));
  return { counts, found: await all(sorter.sorted()) };
}

/** What is expected: sorted by bytes, of each key the last item. */
const expected = (items: readonly Item[]): readonly Item[] =>
  [...new Map(items.map((item) => [item.key, item])).values()].sort((one, other) =>
    Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)),
  );

describe('an external sort', () => {
  const MANY = 12_345;
  const orders: readonly (readonly [string, (at: number) => string])[] = [
    ['in order', (at) => String(at).padStart(6, '0')],
    ['in the reverse order', (at) => String(MANY - at).padStart(6, '0')],
    ['in no order', (at) => `${String((at * 7919) % MANY)}-ü\n"${'x'.repeat(at % 50)}`],
    ['with keys that come again and again', (at) => String((at * 7919) % 1700)],
  ];
  it.each(orders)('gives back items that come %s in the order of their keys', async (_, keyOf) => {
    const items = Array.from({ length: MANY }, (_each, at) => ({ key: keyOf(at), at }));
    const { counts, found } = await sortedOf(items, 7);
    expect(found).toEqual(expected(items));
    expect(counts).toMatchObject({ open: 0, opened: 1 });
  });

  it('opens no file for a few items', async () => {
    const { counts, found } = await sortedOf(
      [
        { key: 'b', at: 0 },
        { key: 'a', at: 1 },
      ],
      1,
    );
    expect(found.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(counts.opened).toBe(0);
  });

  it('closes its file where only a part is read, and where nothing is', async () => {
    for (const isRead of [true, false]) {
      const { counts, files } = world();
      const sorter = createSorter<number>(files, String);
      await sorter.add(Array.from({ length: MANY }, (_, at) => at));
      const items = mapItems(sorter.sorted(), (item) => item);
      if (isRead) for await (const item of items) if (item > 10) break;
      await items.close();
      expect(counts).toMatchObject({ open: 0, opened: 1 });
    }
  });

  it('has any keys in the order of their bytes', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '') });
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 40 }), async (keys) => {
        const items = keys.map((key, at) => ({ key, at }));
        expect((await sortedOf(items, 3)).found).toEqual(expected(items));
      }),
    );
  });
});

it('compares texts as their bytes compare', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'z', '\ud7ff', '\ue000', '\uffff', '😀') });
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(Math.sign(compareBytes(one, other))).toBe(Buffer.compare(Buffer.from(one), Buffer.from(other)));
    }),
  );
});

import type { RangeFiles, SortedItems, UnnamedFile } from './file-ports.ts';
import { compareBytes } from './text.ts';
import type { Bytes } from './unit-types.ts';

export interface Sorter<T> {
  add(items: readonly T[]): Promise<void>;
  /** Ends the adding. Of items with the same key, it has the one that was added last. With `isKept` it can be read again. */
  sorted(isKept?: boolean): SortedItems<T>;
  close(): Promise<void>;
}

export const NO_ITEMS: SortedItems<never> = {
  // eslint-disable-next-line @typescript-eslint/no-empty-function -- it yields nothing
  [Symbol.asyncIterator]: async function* () {},
  close: () => Promise.resolve(),
};

export function mapItems<T, R>(items: SortedItems<T>, change: (item: T) => R | undefined): SortedItems<R> {
  return {
    [Symbol.asyncIterator]: async function* () {
      for await (const item of items) {
        const changed = change(item);
        if (changed !== undefined) yield changed;
      }
    },
    close: () => items.close(),
  };
}

/** How many items are held in memory: two pages of a listing, so that most folders need no file. */
const IN_MEMORY = 2000;

/** The memory with which sorted runs are read, all together, and the least for one of them. */
const READ_BYTES: Bytes = 4 * 1024 * 1024;
const LEAST_READ_BYTES = 4096;

interface Run {
  readonly start: number;
  end: number;
  lastKey: string;
}

interface Keyed<T> {
  readonly key: string;
  readonly item: T;
}

/** Spills sorted runs to a file and merges them. Items must be JSON values; keys are compared by bytes. */
export function createSorter<T>(files: Pick<RangeFiles, 'openUnnamed'>, keyOf: (item: T) => string): Sorter<T> {
  let held: Keyed<T>[] = [];
  let file: UnnamedFile | undefined;
  let size = 0;
  const runs: Run[] = [];

  const spill = async (): Promise<void> => {
    const items = inOrder(held);
    const [first, last] = [items[0], items.at(-1)];
    if (first === undefined || last === undefined) return;
    held = [];
    file ??= await files.openUnnamed();
    const bytes = Buffer.from(items.map(({ item }) => `${JSON.stringify(item)}\n`).join(''));
    await file.write(bytes, size);
    const run = runs.at(-1);
    if (run !== undefined && compareBytes(run.lastKey, first.key) < 0) {
      run.end += bytes.byteLength;
      run.lastKey = last.key;
    } else runs.push({ start: size, end: size + bytes.byteLength, lastKey: last.key });
    size += bytes.byteLength;
  };
  const close = async (): Promise<void> => {
    held = [];
    const open = file;
    file = undefined;
    await open?.close();
  };
  const readAll = async function* (isKept: boolean): AsyncGenerator<T> {
    try {
      if (file === undefined) {
        for (const { item } of inOrder(held)) yield item;
        return;
      }
      await spill();
      const from = file;
      const pieceBytes = Math.max(LEAST_READ_BYTES, Math.min(65_536, Math.floor(READ_BYTES / runs.length)));
      yield* merged(runs.map((run) => readRun(from, run, pieceBytes, keyOf)));
    } finally {
      if (!isKept) await close();
    }
  };
  return {
    add: async (items) => {
      for (const item of items) {
        held.push({ key: keyOf(item), item });
        if (held.length > IN_MEMORY) await spill();
      }
    },
    sorted: (isKept = false) => ({ [Symbol.asyncIterator]: () => readAll(isKept), close }),
    close,
  };
}

/** Sorts items; of those with the same key only the last stays. */
function inOrder<T>(items: Keyed<T>[]): readonly Keyed<T>[] {
  items.sort((one, other) => compareBytes(one.key, other.key));
  return items.filter(({ key }, at) => key !== items[at + 1]?.key);
}

async function* readRun<T>(
  file: UnnamedFile,
  { start, end }: Run,
  pieceBytes: Bytes,
  keyOf: (item: T) => string,
): AsyncGenerator<Keyed<T>> {
  let rest = Buffer.alloc(0);
  for (let at = start; at < end; at += pieceBytes) {
    const piece = Buffer.concat([rest, await file.read(at, Math.min(at + pieceBytes, end))]);
    let line = 0;
    for (let next = piece.indexOf(10); next >= 0; next = piece.indexOf(10, line)) {
      const item = JSON.parse(piece.toString('utf8', line, next)) as T;
      line = next + 1;
      yield { key: keyOf(item), item };
    }
    rest = piece.subarray(line);
  }
}

/** Merges runs, of which the later ones have what was added later. */
async function* merged<T>(runs: readonly AsyncGenerator<Keyed<T>>[]): AsyncGenerator<T> {
  interface Head {
    readonly at: number;
    readonly run: AsyncGenerator<Keyed<T>>;
    readonly first: Keyed<T>;
  }
  const heads: Head[] = [];
  const put = async (at: number, run: AsyncGenerator<Keyed<T>>): Promise<void> => {
    const next = await run.next();
    if (next.done === true) return;
    const head = { at, run, first: next.value };
    let [low, high] = [0, heads.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const there = heads[middle];
      const order = there === undefined ? 1 : compareBytes(there.first.key, head.first.key) || there.at - at;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    heads.splice(low, 0, head);
  };
  for (const [at, run] of runs.entries()) await put(at, run);
  for (let head = heads.shift(); head !== undefined; head = heads.shift()) {
    await put(head.at, head.run);
    if (heads[0]?.first.key !== head.first.key) yield head.first.item;
  }
}

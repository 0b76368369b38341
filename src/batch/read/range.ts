import type { InvalidItem, Item } from './items/item.ts';

/** A part of an input. Stored with a batch, and given back unchanged. */
export interface ItemRange {
  /** Bytes for JSON lines and CSV; for compressed files, items of the file, counted from 0. */
  readonly start: number;
  readonly end: number;
  /** The number of its first item among all items of the batch, from 1. */
  readonly firstItem: number;
  /** The number of its items, with those that cannot be sent. */
  readonly items: number;
  readonly invalid: number;
  /** The number of its first line in the file, from 1. */
  readonly firstLine: number;
  /** Identifies its content where the version does not: for files. Empty for objects. */
  readonly digest: string;
}

/** A range, and the input that it is of. */
export interface PlannedRange {
  /** The position of the input among all inputs, from 0. */
  readonly source: number;
  readonly range: ItemRange;
}

/** Counts the items of the range that is being planned. */
export function createRangeCounter(
  itemsPerRange: number,
  first: { readonly item: number; readonly start: number; readonly line: number },
  onItem: (item: Item | InvalidItem) => void,
) {
  let { item: firstItem, start, line: firstLine } = first;
  let items = 0;
  let invalid = 0;
  return {
    add: (item: Item | InvalidItem): void => {
      items += 1;
      if (item.kind === 'invalid') invalid += 1;
      onItem(item);
    },
    /** True when the range has as many items as it may have. */
    get isFull(): boolean {
      return items >= itemsPerRange;
    },
    get items(): number {
      return items;
    },
    /** Ends the range, and begins the next one at `end` and `nextLine`. */
    cut: (end: number, nextLine: number, digest: string): ItemRange => {
      const range = { start, end, firstItem, items, invalid, firstLine, digest };
      [firstItem, start, firstLine] = [firstItem + items, end, nextLine];
      [items, invalid] = [0, 0];
      return range;
    },
  };
}

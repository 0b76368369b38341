import type { InvalidItem, Item } from './items/item.ts';
import type { ItemRange } from './range.ts';

/** Counts the items of the range that is being planned. */
export interface RangeCounter {
  add(item: Item | InvalidItem): void;
  /** True when the range has as many items as it may have. */
  readonly isFull: boolean;
  /** Items in the range so far. */
  readonly items: number;
  /** Ends the range, and begins the next one at `end` and `nextLine`. */
  cut(end: number, nextLine: number, digest: string): ItemRange;
}

export function createRangeCounter(
  itemsPerRange: number,
  first: { readonly item: number; readonly start: number; readonly line: number },
  onItem: (item: Item | InvalidItem) => void,
): RangeCounter {
  let { item: firstItem, start, line: firstLine } = first;
  let items = 0;
  let invalid = 0;
  return {
    add: (item) => {
      items += 1;
      if (item.kind === 'invalid') invalid += 1;
      onItem(item);
    },
    get isFull() {
      return items >= itemsPerRange;
    },
    get items() {
      return items;
    },
    cut: (end, nextLine, digest) => {
      const range = { start, end, firstItem, items, invalid, firstLine, digest };
      [firstItem, start, firstLine] = [firstItem + items, end, nextLine];
      [items, invalid] = [0, 0];
      return range;
    },
  };
}

import type { InvalidItem, Item } from './items/item.ts';

/** Items of one file have numbers from 1; those of a batch are numbered through all files. */
export function* renumbered(items: Iterable<Item | InvalidItem>, added: number): Generator<Item | InvalidItem> {
  for (const item of items) yield added === 0 ? item : { ...item, number: item.number + added };
}

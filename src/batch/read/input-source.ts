import type { ObjectStorage } from '../../core/context.ts';
import type { InvalidItem, Item } from './items/item.ts';
import type { ItemRange } from './range.ts';

/** One file or object that can be read in parts. */
export interface InputSource {
  /**
   * Reads and checks the whole input and cuts it into ranges of `itemsPerRange` items; the last one may have fewer. Calls
   * `onItem` with every item. Fails as reading does, and with usage (2) for an invalid CSV file.
   */
  plan(itemsPerRange: number, firstItem: number, onItem: (item: Item | InvalidItem) => void): AsyncGenerator<ItemRange>;
  /** Whether the content of a range is what was planned. Fails as reading does. */
  matches(range: ItemRange): Promise<boolean>;
  /**
   * The items of a range, in groups: iterate each group to its end before the next. Fails with local-file (14), before the
   * first item that differs, when the content is no longer what was planned.
   */
  read(range: ItemRange): AsyncGenerator<Iterable<Item | InvalidItem>>;
  /** Closes what is kept open between two ranges. The source can still be used. */
  close(): Promise<void>;
}

/** What reading inputs needs. */
export interface SourcePorts {
  readonly storage: ObjectStorage;
  readonly signal: AbortSignal;
}

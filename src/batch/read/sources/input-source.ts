import type { ObjectStorage, StoredObject } from '../../../core/context.ts';
import type { ShardRange } from '../range.ts';
import type { InvalidItem, Item } from '../item.ts';

/** One file or object that can be read in parts. */
export interface InputSource {
  readonly object: StoredObject;
  /**
   * Reads and checks the whole input and cuts it into ranges of `itemsPerShard` items; the last one may have fewer. Calls
   * `onItem` with every item. Fails as reading does, and with usage (2) for an invalid CSV or Parquet file.
   */
  plan(
    itemsPerShard: number,
    firstItem: number,
    onItem: (item: Item | InvalidItem) => void,
  ): AsyncGenerator<ShardRange>;
  /**
   * The items of a range, in groups: iterate each group to its end before the next. Fails with local-file (14), before the
   * first item that differs, when the content is no longer what was planned.
   */
  read(range: ShardRange): AsyncGenerator<Iterable<Item | InvalidItem>>;
  /** Closes what is kept open between two ranges. The source can still be used. */
  close(): Promise<void>;
}

/** What reading inputs needs. */
export interface SourcePorts {
  readonly storage: ObjectStorage;
  readonly signal: AbortSignal;
}

/** A part of an input. Stored with a batch, and given back unchanged. */
export interface ItemRange {
  /** Bytes for JSON lines and CSV; for compressed and Parquet files, items of the file, counted from 0. */
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

/** A span of time. A name that ends in `Ms` says the same. */
export type Milliseconds = number;
export type Seconds = number;
/** A point in time: milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number;
export type Bytes = number;

export type Milliseconds = number;
export type Seconds = number;
/** A point in time: milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number;
export type Bytes = number;

export const MINUTE_MS: Milliseconds = 60_000;
export const HOUR_MS: Milliseconds = 60 * MINUTE_MS;
export const DAY_MS: Milliseconds = 24 * HOUR_MS;

/** A job that the service has according to the records of a batch. */
export interface KnownJob {
  readonly item: number;
  readonly job: string;
  /** JSON text of the item's label. */
  readonly id: string | undefined;
  /** Milliseconds since the epoch. */
  readonly submittedAt: number;
  readonly retries: number;
}

/** Data of an event that is not needed to determine the next state. */
export interface EventData {
  /** JSON text of the item's label, with `send`, `retry` and `find`. */
  readonly id?: string | undefined;
  /**
   * Milliseconds since the epoch, with `accept`, `retry`, `find`, `end` and `refuse`; earlier versions did not store the time
   * of an end.
   */
  readonly at?: number | undefined;
  /** Length of the results file including the item's line, in bytes, with `end` and `refuse`. */
  readonly resultBytes?: number | undefined;
  /** CRC-32 of the results file up to that length. Earlier versions did not store it. */
  readonly checksum?: number | undefined;
}

/** The `service` of a batch that ran on the local service in its own process. */
export const LOCAL_SERVICE = 'the local service';

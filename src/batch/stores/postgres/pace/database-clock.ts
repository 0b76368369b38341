/**
 * What a driver knows of the database's clock: the bounds of the difference between its own monotonic clock and that clock.
 * All times are milliseconds.
 */
export interface DatabaseClock {
  /** Adds an observation: the database answered with its time to a request that was sent and answered at these times. */
  observe(sentAt: number, databaseTime: number, answeredAt: number): void;
  /** A time of the monotonic clock at which this time of the database has passed for certain. */
  notBefore(databaseTime: number): number;
  /** A time of the monotonic clock at which this time of the database has not passed yet for certain. */
  notAfter(databaseTime: number): number;
}

/** How far two clocks can diverge in a millisecond: both may be corrected slowly by a time service. */
const DRIFT = 0.001;

/**
 * Creates a clock without observations. The bounds of several observations are combined, so that a slow answer does not make
 * them wider. An observation that contradicts the earlier ones replaces them: the database's clock was set.
 */
export function createDatabaseClock(): DatabaseClock {
  let least = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  let observedAt = 0;
  return {
    observe: (sentAt, databaseTime, answeredAt) => {
      const drift = Math.max(0, answeredAt - observedAt) * DRIFT;
      const [newLeast, newMost] = [sentAt - databaseTime, answeredAt - databaseTime];
      const [combinedLeast, combinedMost] = [Math.max(least - drift, newLeast), Math.min(most + drift, newMost)];
      [least, most] = combinedLeast <= combinedMost ? [combinedLeast, combinedMost] : [newLeast, newMost];
      observedAt = answeredAt;
    },
    notBefore: (databaseTime) => databaseTime + most,
    notAfter: (databaseTime) => databaseTime + least,
  };
}

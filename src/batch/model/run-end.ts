import { HOUR_MS } from '../../core/durations.ts';
import type { ItemCounts } from './item-states.ts';
import type { EpochMs } from '../../core/unit-types.ts';

/** A point in time by the monotonic clock of this process: no date, and of no use to another process. */
export type MonotonicMs = number;

/** A job that the service has according to the records of a batch. */
export interface KnownJob {
  readonly item: number;
  readonly job: string;
  /** JSON text of the item's label. */
  readonly id: string | undefined;
  readonly submittedAt: EpochMs;
  readonly retries: number;
}

/** The `service` of a batch that ran on the local service in its own process. */
export const LOCAL_SERVICE = 'the local service';

/** A batch stops when the service asks for a longer wait. */
export const MAX_RETRY_AFTER_MS = HOUR_MS;

/** The kinds of requests with a rate of their own: submissions, and status and retry requests. */
export type RequestKind = 'submit' | 'poll';

export type StopReason = 'interrupt' | 'timeout' | 'failures' | 'error';

export interface Stopped {
  readonly reason: StopReason;
  readonly failure?: unknown;
}

/** How a run ended. */
export interface RunEnd {
  readonly counts: ItemCounts;
  /** Absent when nothing is left to do. */
  readonly stopped?: Stopped;
  /** Number of jobs that run again although their result had been written: the results have two lines for each. */
  readonly rerunCount: number;
  /** True when all items have ended and the results are not sorted yet. */
  readonly unordered?: boolean;
  /** Jobs that were accepted and could not be recorded. */
  readonly unrecorded: readonly Pick<KnownJob, 'item' | 'job'>[];
}

import { type EpochMs, HOUR_MS, type Milliseconds } from '../../core/unit-types.ts';
import type { ItemCounts } from './item-states.ts';

/** By the monotonic clock of this process: not a date, and not valid in another process. */
export type MonotonicMs = number;

export interface KnownJob {
  readonly item: number;
  readonly job: string;
  /** JSON text of the label. */
  readonly id: string | undefined;
  readonly submittedAt: EpochMs;
  readonly retries: number;
}

export interface RunLimits {
  readonly concurrency: number;
  /** Submissions per second. */
  readonly rate: number;
  readonly inFlight: number;
  /** Of this run: above it, no more items are sent. */
  readonly maxFailures: number;
  readonly maxTime: Milliseconds;
  readonly retryFailed: number;
}

export const LOCAL_SERVICE = 'the local service';

/** A batch stops when the service asks for a longer wait. */
export const MAX_RETRY_AFTER_MS = HOUR_MS;

/** `poll`: status and retry requests. Each kind has a rate of its own. */
export type RequestKind = 'submit' | 'poll';

export type StopReason = 'interrupt' | 'timeout' | 'failures' | 'error';

export interface Stopped {
  readonly reason: StopReason;
  readonly failure?: unknown;
}

export interface RunEnd {
  readonly counts: ItemCounts;
  /** Absent when nothing is left to do. */
  readonly stopped?: Stopped;
  /** Number of jobs that run again although their result had been written: the results have two lines for each. */
  readonly rerunCount: number;
  readonly unordered?: boolean;
  /** Jobs that were accepted and could not be recorded. */
  readonly unrecorded: readonly Pick<KnownJob, 'item' | 'job'>[];
}

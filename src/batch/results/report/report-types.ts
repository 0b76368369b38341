import type { Failure } from '../../../core/failure.ts';
import type { ItemCounts } from '../../stores/items/item-states.ts';
import type { ExecutionCost } from './cost.ts';
import type { CommonError, RefusedRetries } from './error-counts.ts';
import type { FailedRequests, RequestProblem } from './request-health.ts';

/** What is known about every batch. */
export interface BatchSummary {
  /** Path of the results file; the name of a shared batch. */
  readonly results: string;
  /** Words that name the batch on a command line. */
  readonly reference: readonly string[];
  /** The endpoint as the user named it. */
  readonly endpoint: string;
  /** Path of the input. */
  readonly input: string;
  /** True when the batch runs on the local service in this process. */
  readonly onLocalService: boolean;
  readonly counts: ItemCounts;
  /** Items of the input that cannot be sent. */
  readonly invalid: number;
  /** How often an item was sent again as a new job, because the user asked for it. */
  readonly resubmitted: number;
  /** Items whose submission may or may not have been accepted. */
  readonly unknownItems: readonly number[];
  /** True when all items have ended and the results are not sorted yet. */
  readonly unordered: boolean;
  /** True when there is something left to do for a resume. */
  readonly resumable: boolean;
}

/** Why a run stopped before all items had ended. An error that is not a Failure is a bug and is thrown instead. */
export type StopCause =
  | { readonly reason: 'interrupt' | 'timeout' | 'failures' | 'cancelled' }
  | { readonly reason: 'error'; readonly failure: Failure };

/** How a run of a batch ended. */
export interface BatchReport extends BatchSummary {
  readonly tookMs: number;
  /** Undefined when no price or no execution time is known. */
  readonly cost: ExecutionCost | undefined;
  /** True when an earlier run had sent some items. */
  readonly resumed: boolean;
  readonly stopped: StopCause | undefined;
  /** Jobs that were accepted and could not be written to the journal. */
  readonly unrecorded: readonly { readonly item: number; readonly job: string }[];
  /** Items that failed or were refused in this run, and their most frequent error. */
  readonly failedItems: number;
  readonly commonestError: CommonError | undefined;
  /** The most frequent reason why the outcome of a submission is unknown. */
  readonly unknownReason: string | undefined;
  /** Undefined when few requests failed. */
  readonly failedRequests: FailedRequests | undefined;
  /**
   * Failed items that the user asked to retry and that were not retried; undefined when the user asked for no retry.
   */
  readonly notRetried: NotRetried | undefined;
  /** Failed jobs that the service may still have, so that they can be retried. */
  readonly retryableJobs: number;
  readonly expiredItems: readonly number[];
}

export interface NotRetried {
  /** Items whose submission was refused: there is no job to retry. */
  readonly neverAccepted: number;
  /** Jobs that the service does not have any more. */
  readonly expired: number;
  readonly refused: RefusedRetries | undefined;
}

/** The state of a batch according to its journal. */
export interface BatchStatus extends BatchSummary {
  readonly state: 'running' | 'ended' | 'stopped';
  /** The process that runs the batch now; undefined when there is none. */
  readonly holder: { readonly pid: number; readonly host: string } | undefined;
  /** Milliseconds since the epoch. */
  readonly begunAt: number;
}

/** A snapshot of a running batch. */
export interface BatchProgress {
  readonly counts: ItemCounts;
  readonly cost: ExecutionCost | undefined;
  readonly problem: RequestProblem | undefined;
}

import { RESULT_RETENTION_MS } from '../../queue/limits.ts';
import type { BatchLimits, BatchPorts, BatchView } from './ports.ts';
import type { ExecutionCost } from '../results/report/cost.ts';
import type { CommonError, ErrorTally, RefusedRetries } from '../results/report/error-counts.ts';
import type { FailedRequests } from '../results/report/request-health.ts';
import type { BatchFacts, BatchSummary, Session, SessionAccount } from '../model/store.ts';
import type { ItemCounts } from '../model/item-states.ts';
import { drive, wasBegun, type StopCause } from './drive.ts';

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

interface NotRetried {
  /** Items whose submission was refused: there is no job to retry. */
  readonly neverAccepted: number;
  /** Jobs that the service does not have any more. */
  readonly expired: number;
  readonly refused: RefusedRetries | undefined;
}

/**
 * Runs a batch until it ends, closes it, and reports how it ended: an error that stopped it is in the report. Throws only
 * errors that are bugs.
 */
export async function runToEnd(
  ports: BatchPorts,
  batch: BatchFacts,
  session: Session,
  limits: BatchLimits,
  view: BatchView,
): Promise<BatchReport> {
  await view.onNotes(session.notes);
  const driven = await drive(ports, batch, session, limits, view);
  const { end, tally } = driven;
  const account = await session.account(end);
  const { counts } = account;
  const { before } = session;
  const left = counts.waiting + counts.inFlight > 0;
  const unordered = end.unordered === true;
  const { name, reference, endpoint, service, invalid } = batch;
  return {
    ...{ name, reference, endpoint, service, invalid, counts, unordered },
    input: session.input,
    unknownItems: account.unknownItems,
    expiredItems: account.expiredItems,
    resubmitted: account.resubmitted,
    resumable: left || unordered,
    tookMs: driven.tookMs,
    cost: driven.cost,
    resumed: wasBegun(before),
    stopped: driven.stopped,
    unrecorded: end.unrecorded,
    failedItems: tally.failedJobs() + tally.refused(),
    commonestError: tally.mostFrequent(),
    unknownReason: tally.mostFrequentUnknown()?.error,
    failedRequests: driven.failedRequests,
    // eslint-disable-next-line no-restricted-syntax -- a date of the batch
    ...retries(before, account, tally, limits, ports.clock.now() - batch.createdAt),
  };
}

function retries(
  before: ItemCounts,
  { retriableBefore }: SessionAccount,
  tally: ErrorTally,
  { retryFailed = 0 }: BatchLimits,
  ageMs: number,
): Pick<BatchReport, 'notRetried' | 'retryableJobs'> {
  const failedBefore = before.failed + before.timedOut;
  if (retriableBefore === undefined) return { notRetried: undefined, retryableJobs: 0 };
  if (retryFailed > 0)
    return {
      retryableJobs: tally.failedJobs(),
      notRetried: {
        neverAccepted: failedBefore - retriableBefore,
        expired: tally.expiredRetries(),
        refused: tally.refusedRetries(),
      },
    };
  // The exact time of the end of jobs of earlier runs is unknown.
  const earlier = ageMs < RESULT_RETENTION_MS ? failedBefore : 0;
  return { notRetried: undefined, retryableJobs: tally.failedJobs() + earlier };
}

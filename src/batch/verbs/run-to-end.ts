import { RESULT_RETENTION_MS, RATE_LIMITS } from '../../queue/limits.ts';
import type { BatchLimits, BatchPorts, BatchView } from './ports.ts';
import { type ExecutionCost, createCostMeter } from './cost-meter.ts';
import { type ErrorTotals, type RefusedRetries, createErrorTally } from './error-tally.ts';
import { type FailedRequests, createRequestHealth } from '../run/request-health.ts';
import type { BatchFacts, BatchSummary, Session, SessionAccount } from '../model/store.ts';
import { type ItemCounts, itemsLeft } from '../model/item-states.ts';
import type { RateWindow } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { timeToLive } from '../../queue/submission.ts';
import { claimedItems } from '../run/item-queue.ts';
import { createQueueClient } from '../run/queue-client.ts';
import type { RunOptions } from '../run/run-state.ts';
import { runItems } from '../run/runner.ts';
import type { RunEnd, Stopped } from '../model/run-records.ts';

export interface BatchReport
  extends
    BatchSummary,
    Pick<SessionAccount, 'expiredItems' | 'expiredMayBeThere' | 'unpublished'>,
    Pick<ErrorTotals, 'commonestError' | 'unknownReason'> {
  readonly tookMs: number;
  /** Undefined when no price or no execution time is known. */
  readonly cost: ExecutionCost | undefined;
  /** True when an earlier run had sent some items. */
  readonly resumed: boolean;
  readonly stopped: StopCause | undefined;
  /** Jobs that were accepted and could not be written to the journal. */
  readonly unrecorded: RunEnd['unrecorded'];
  /** Items that failed or were refused in this run. */
  readonly failedItems: number;
  /** Undefined when few requests failed. */
  readonly failedRequests: FailedRequests | undefined;
  /**
   * Failed items that the user asked to retry and that were not retried; undefined when the user asked for no retry.
   */
  readonly notRetried: NotRetried | undefined;
  /** Failed jobs that the service may still have, so that they can be retried. */
  readonly retryableJobs: number;
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
  const { end, totals, ...run } = await drive(ports, batch, session, limits, view);
  const { retryableBefore, ...account } = await session.account(end);
  const { before, input } = session;
  const unordered = end.unordered === true;
  const { name, reference, endpoint, service, invalid } = batch;
  const { failedJobs, refused, commonestError, unknownReason } = totals;
  return {
    ...{ name, reference, endpoint, service, invalid, input, unordered },
    ...account,
    ...run,
    resumable: itemsLeft(account.counts) > 0 || unordered,
    resumed: wasBegun(before),
    unrecorded: end.unrecorded,
    failedItems: failedJobs + refused,
    ...{ commonestError, unknownReason },
    // eslint-disable-next-line no-restricted-syntax -- a date of the batch
    ...retries(before, retryableBefore, totals, limits, ports.clock.now() - batch.createdAt),
  };
}

function retries(
  before: ItemCounts,
  retryableBefore: number | undefined,
  { failedJobs, expiredRetries: expired, refusedRetries: refused }: ErrorTotals,
  { retryFailed = 0 }: BatchLimits,
  ageMs: number,
): Pick<BatchReport, 'notRetried' | 'retryableJobs'> {
  const failedBefore = before.failed + before.timedOut;
  if (retryableBefore === undefined) return { notRetried: undefined, retryableJobs: 0 };
  if (retryFailed > 0)
    return {
      retryableJobs: failedJobs,
      notRetried: { neverAccepted: failedBefore - retryableBefore, expired, refused },
    };
  // The exact time of the end of jobs of earlier runs is unknown.
  const earlier = ageMs < RESULT_RETENTION_MS ? failedBefore : 0;
  return { notRetried: undefined, retryableJobs: failedJobs + earlier };
}

const DEFAULT_CONCURRENCY = 32;
const MAX_IN_FLIGHT = 1000;
/** With a limit of failures, the maximum number of jobs that are submitted before the first one has ended. */
const FIRST_IN_FLIGHT = 10;

/** Why a run stopped before all items had ended. An error that is not a Failure is a bug and is thrown instead. */
type StopCause =
  | { readonly reason: 'interrupt' | 'timeout' | 'failures' | 'cancelled' }
  | { readonly reason: 'error'; readonly failure: Failure };

/** Submits and polls until the work ends or something stops it, and shows that. Throws only errors that are bugs. */
async function drive(
  ports: BatchPorts,
  { endpointId }: BatchFacts,
  session: Session,
  limits: BatchLimits,
  view: BatchView,
) {
  const { clock, signal } = ports;
  const { records, extras, before } = session;
  const { states } = records;
  const started = clock.monotonic();
  let applyWindows = (_: readonly RateWindow[]): void => undefined;
  const secondInterrupt = new AbortController();
  const api = ports.batchApi({
    signal: secondInterrupt.signal,
    onWindows: (windows) => {
      applyWindows(windows);
    },
  });
  const client = createQueueClient(api, asId(endpointId), extras);
  const requestPrice = (until: AbortSignal) => ports.workerPrice(endpointId, until);
  const cost = createCostMeter(clock, signal, requestPrice, wasBegun(before), session.recordPrice);
  const tally = createErrorTally();
  const health = createRequestHealth();

  // The first interrupt waits for the answers of pending requests, a second one aborts them.
  const onInterrupt = (): void => {
    if (client.pending > 0) view.onFirstInterrupt(client.pending);
  };
  signal.addEventListener('abort', onInterrupt, { once: true });
  const stopListening = ports.onSecondInterrupt(() => {
    secondInterrupt.abort(requestAborted());
  });
  const done = new AbortController();
  const following = view.follow(
    () => ({
      counts: states.counts(),
      cost: cost.total(),
      problem: health.problem(),
      outage: session.outage?.(),
    }),
    done.signal,
  );
  let end: RunEnd;
  let tookMs: number;
  try {
    const run = await runItems({
      records,
      options: runOptions(limits, session),
      items: claimedItems(session.claims, session.inputs),
      client,
      clock,
      random: ports.random,
      interrupt: signal,
      paces: session.paces,
      observer: {
        onReady: (apply) => {
          applyWindows = apply;
        },
        onExecuted: cost.onExecuted,
        onEnded: tally.onEnded,
        onNotRetried: tally.onNotRetried,
        onRequest: health.onRequest,
        onUnknown: tally.onUnknown,
      },
    });
    end = await session.finish(run);
    tookMs = clock.monotonic() - started;
  } finally {
    signal.removeEventListener('abort', onInterrupt);
    stopListening();
    done.abort();
    await following;
    await cost.close();
    // After a failed write, closing fails too; the failure is in `end` already.
    await session.close().catch(() => undefined);
  }
  const run = { stopped: stopCause(end.stopped), tookMs, cost: cost.total(), failedRequests: health.failed() };
  return { end, totals: tally.totals(), ...run };
}

/** True when an earlier run had sent some items. */
const wasBegun = ({ waiting, planned }: ItemCounts): boolean => waiting < planned;

function runOptions(limits: BatchLimits, { records: { states }, extras }: Session): RunOptions {
  const { maxFailures } = limits;
  return {
    concurrency: limits.concurrency ?? DEFAULT_CONCURRENCY,
    rate: limits.rate ?? RATE_LIMITS.run.rate,
    get inFlight() {
      if (limits.inFlight !== undefined || maxFailures === undefined) return limits.inFlight ?? MAX_IN_FLIGHT;
      // All jobs in flight still run when the limit is exceeded: allow as many as have completed.
      return Math.min(MAX_IN_FLIGHT, Math.max(FIRST_IN_FLIGHT, maxFailures + 1, states.count('completed')));
    },
    maxFailures: maxFailures ?? Number.POSITIVE_INFINITY,
    timeoutMs: limits.maxTime ?? Number.POSITIVE_INFINITY,
    retryFailed: limits.retryFailed ?? 0,
    ttlMs: timeToLive(extras),
  };
}

function stopCause(stopped: Stopped | undefined): StopCause | undefined {
  if (stopped === undefined) return undefined;
  const { reason, failure } = stopped;
  if (reason !== 'error') return { reason };
  if (!(failure instanceof Failure)) throw failure;
  return { reason, failure };
}

/** A second interrupt aborted a request: it may have been accepted. */
const requestAborted = (): Failure =>
  new Failure({ code: 'outcome-unknown', exit: EXIT.unknown, message: 'its answer was not waited for' });

import type { RateWindow } from '../core/api.ts';
import { EXIT } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import { asId } from '../core/ids.ts';
import type { DollarRange } from '../core/units.ts';
import { RATE_LIMITS, RESULT_RETENTION_MS } from '../queue/limits.ts';
import type { InvalidItem, Item } from './input/item.ts';
import type { BatchLimits, BatchPorts, BatchView } from './caller-interface.ts';
import { createCostMeter } from './report/cost.ts';
import { createErrorTally, type ErrorTally } from './report/error-counts.ts';
import type { BatchReport, NotRetried, StopCause } from './report/report-types.ts';
import { createRequestHealth } from './report/request-health.ts';
import { finishBatch } from './run/verify-and-sort-results.ts';
import { createQueueClient } from './run/queue-client.ts';
import type { Stopped } from './run/stop-run.ts';
import { runItems, type RunEnd, type RunOptions } from './run/runner.ts';
import { fileBooks } from './store/file-books.ts';
import type { ItemCounts, ItemStates } from './store/items/item-states.ts';
import { LOCAL_SERVICE } from './store/journal/record.ts';
import type { OpenBatch } from './store/open-batch.ts';

/** The input of a batch, read again. Reading fails when it is no longer what was checked. */
export interface VerifiedInput {
  /** Its path, or what several inputs are called in messages. */
  readonly path: string;
  readonly items: AsyncGenerator<Iterable<Item | InvalidItem>>;
}

const DEFAULT_CONCURRENCY = 32;
const MAX_IN_FLIGHT = 1000;
/** With a limit of failures, the maximum number of jobs that are submitted before the first one has ended. */
const FIRST_IN_FLIGHT = 10;

/**
 * Runs an open batch until it ends, closes it, and reports how it ended: an error that stopped it is in the report. Throws
 * only errors that are bugs.
 */
export async function runToEnd(
  ports: BatchPorts,
  path: string,
  batch: OpenBatch,
  input: VerifiedInput,
  limits: BatchLimits,
  view: BatchView,
): Promise<BatchReport> {
  const { clock, durable, signal } = ports;
  const { header, states } = batch;
  const started = clock.monotonic();
  const before = states.counts();
  const resumed = before.waiting < before.planned;
  let applyWindows = (_: readonly RateWindow[]): void => undefined;
  const secondInterrupt = new AbortController();
  const api = ports.batchApi({
    signal: secondInterrupt.signal,
    onWindows: (windows) => {
      applyWindows(windows);
    },
  });
  const client = createQueueClient(api, asId(header.endpointId));
  const requestPrice = (until: AbortSignal) => ports.workerPrice(header.endpointId, until);
  const cost = createCostMeter(clock, signal, requestPrice, resumed, (price) => {
    recordPrice(batch, price);
  });
  const tally = createErrorTally();
  const health = createRequestHealth();

  // The first interrupt waits for the answers of pending requests, a second one aborts them.
  const onInterrupt = (): void => {
    if (client.pending > 0) view.onDraining(client.pending);
  };
  signal.addEventListener('abort', onInterrupt, { once: true });
  const stopListening = ports.onSecondInterrupt(() => {
    secondInterrupt.abort(requestAborted());
  });
  const done = new AbortController();
  const following = view.follow(
    () => ({ counts: states.counts(), cost: cost.total(), problem: health.problem() }),
    done.signal,
  );
  let end: RunEnd;
  let tookMs: number;
  try {
    end = await runItems({
      // eslint-disable-next-line no-restricted-syntax -- a date, for the journal
      books: fileBooks(batch, () => clock.now()),
      options: runOptions(limits, states),
      items: input.items,
      client,
      clock,
      random: ports.random,
      interrupt: signal,
      observer: {
        onReady: (apply) => {
          applyWindows = apply;
        },
        onExecuted: cost.onExecuted,
        onEnded: tally.onEnded,
        onNotRetried: tally.onNotRetried,
        onRequest: (failure) => {
          health.onRequest(failure, clock.monotonic());
        },
        onUnknown: tally.onUnknown,
      },
    });
    end = await finishBatch(durable, path, batch, end, signal);
    tookMs = clock.monotonic() - started;
  } finally {
    signal.removeEventListener('abort', onInterrupt);
    stopListening();
    done.abort();
    await following;
    await cost.close();
    // After a failed write, closing fails too; the failure is in `end` already.
    await batch.close().catch(() => undefined);
  }
  const { counts } = end;
  const left = counts.waiting + counts.inFlight > 0;
  const unordered = end.unordered === true;
  const retried = (limits.retryFailed ?? 0) > 0;
  return {
    results: path,
    endpoint: header.endpoint,
    input: input.path,
    onLocalService: header.service === LOCAL_SERVICE,
    counts,
    invalid: header.invalid,
    unknownItems: [...states.items('unknown')],
    resubmitted: batch.resubmitted,
    unordered,
    resumable: left || unordered,
    tookMs,
    cost: cost.total(),
    resumed,
    stopped: stopCause(end.stopped),
    unrecorded: end.unrecorded,
    failedItems: tally.failedJobs() + tally.refused(),
    commonestError: tally.mostFrequent(),
    unknownReason: tally.mostFrequentUnknown()?.error,
    failedRequests: health.failed(),
    notRetried: retried ? notRetried(before, batch, tally) : undefined,
    // eslint-disable-next-line no-restricted-syntax -- a date of the journal
    retryableJobs: tally.failedJobs() + (retried ? 0 : retryableBefore(before, clock.now() - header.createdAt)),
    expiredItems: [...states.items('expired')],
  };
}

/**
 * Writes a price to the journal, unless the journal has this price already. A failed write stops the batch at the next
 * record.
 */
function recordPrice({ journal, workerPrice: known }: OpenBatch, perHour: DollarRange): void {
  if (known?.low === perHour.low && known.high === perHour.high) return;
  journal.write({ kind: 'price', perHour }).catch(() => undefined);
}

function runOptions(limits: BatchLimits, states: ItemStates): RunOptions {
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
  };
}

function stopCause(stopped: Stopped | undefined): StopCause | undefined {
  if (stopped === undefined) return undefined;
  const { reason, failure } = stopped;
  if (reason !== 'error') return { reason };
  if (!(failure instanceof Failure)) throw failure;
  return { reason, failure };
}

const notRetried = (before: ItemCounts, { failed }: OpenBatch, tally: ErrorTally): NotRetried => ({
  neverAccepted: before.failed + before.timedOut - failed.length,
  expired: tally.expiredRetries(),
  refused: tally.refusedRetries(),
});

/**
 * Failed jobs of earlier runs can be retried while the service keeps results; the exact time of their end is unknown.
 */
const retryableBefore = ({ failed, timedOut }: ItemCounts, ageMs: number): number =>
  ageMs < RESULT_RETENTION_MS ? failed + timedOut : 0;

/** A second interrupt aborted a request: it may have been accepted. */
const requestAborted = (): Failure =>
  new Failure({ code: 'outcome-unknown', exit: EXIT.unknown, message: 'its answer was not waited for' });

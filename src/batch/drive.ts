import type { RateWindow } from '../core/api.ts';
import { EXIT } from '../core/exit-codes.ts';
import { Failure } from '../core/failure.ts';
import { asId } from '../core/ids.ts';
import type { DollarRange } from '../core/units.ts';
import { RATE_LIMITS } from '../queue/limits.ts';
import { timeToLive } from '../queue/submission.ts';
import type { InvalidItem, Item } from './read/item.ts';
import type { BatchLimits, BatchPorts, BatchView } from './ports.ts';
import { createCostMeter, type ExecutionCost } from './results/report/cost.ts';
import { createErrorTally, type ErrorTally } from './results/report/error-counts.ts';
import type { StopCause } from './results/report/report-types.ts';
import { createRequestHealth, type FailedRequests } from './results/report/request-health.ts';
import { createQueueClient } from './run/queue-client.ts';
import { runItems, type RunEnd, type RunOptions, type RunParts } from './run/runner.ts';
import type { Stopped } from './run/stop-run.ts';
import type { Books } from './stores/run-records.ts';

const DEFAULT_CONCURRENCY = 32;
const MAX_IN_FLIGHT = 1000;
/** With a limit of failures, the maximum number of jobs that are submitted before the first one has ended. */
const FIRST_IN_FLIGHT = 10;

/** What a process works on: the same for a batch of its own and for a shared one. */
export interface Work {
  readonly endpointId: string;
  /** The members that every submission has in addition to its input: see `optionsText`. */
  readonly extras: string;
  readonly books: Books;
  readonly items: AsyncGenerator<Iterable<Item | InvalidItem>>;
  /** The rates that all drivers share; absent for a process that shares nothing. */
  readonly paces?: RunParts['paces'];
  /** True when an earlier run had sent some items. */
  readonly resumed: boolean;
  /** Keeps the price of a worker per hour. */
  readonly recordPrice: (perHour: DollarRange) => void;
  /** Called after the run, before the view is closed. Returns how the run ended. */
  readonly finish: (end: RunEnd) => Promise<RunEnd>;
  /** Called at the end in any case. */
  readonly close: () => Promise<void>;
}

/** How a process ended its work. */
export interface Driven {
  readonly end: RunEnd;
  readonly stopped: StopCause | undefined;
  readonly tookMs: number;
  readonly cost: ExecutionCost | undefined;
  readonly tally: ErrorTally;
  readonly failedRequests: FailedRequests | undefined;
}

/** Submits and polls until the work ends or something stops it, and shows that. Throws only errors that are bugs. */
export async function drive(ports: BatchPorts, work: Work, limits: BatchLimits, view: BatchView): Promise<Driven> {
  const { clock, signal } = ports;
  const { books, endpointId } = work;
  const { states } = books;
  const started = clock.monotonic();
  let applyWindows = (_: readonly RateWindow[]): void => undefined;
  const secondInterrupt = new AbortController();
  const api = ports.batchApi({
    signal: secondInterrupt.signal,
    onWindows: (windows) => {
      applyWindows(windows);
    },
  });
  const client = createQueueClient(api, asId(endpointId));
  const requestPrice = (until: AbortSignal) => ports.workerPrice(endpointId, until);
  const cost = createCostMeter(clock, signal, requestPrice, work.resumed, work.recordPrice);
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
    const run = await runItems({
      books,
      options: runOptions(limits, work),
      items: work.items,
      client,
      clock,
      random: ports.random,
      interrupt: signal,
      paces: work.paces,
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
    end = await work.finish(run);
    tookMs = clock.monotonic() - started;
  } finally {
    signal.removeEventListener('abort', onInterrupt);
    stopListening();
    done.abort();
    await following;
    await cost.close();
    // After a failed write, closing fails too; the failure is in `end` already.
    await work.close().catch(() => undefined);
  }
  return {
    end,
    stopped: stopCause(end.stopped),
    tookMs,
    cost: cost.total(),
    tally,
    failedRequests: health.failed(),
  };
}

function runOptions(limits: BatchLimits, { books: { states }, extras }: Work): RunOptions {
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

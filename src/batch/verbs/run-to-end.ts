import type { BatchPorts, BatchProgress, BatchView } from './ports.ts';
import { createCostMeter, createErrorTally, type ErrorTotals, type ExecutionCost } from './cost-meter.ts';
import type { BatchSummary } from '../model/batch.ts';
import { type ItemCounts, itemsLeft } from '../model/item-states.ts';
import type { RateWindow } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { RATE_LIMITS } from '../../queue/limits.ts';
import { optionsText } from '../../queue/submission.ts';
import { allItems, type BatchInputs, nameOfInputs } from '../read/inputs.ts';
import { createQueueClient } from '../run/queue-client.ts';
import type { RunOptions } from '../run/run-state.ts';
import { runItems } from '../run/runner.ts';
import type { RunEnd, Stopped } from '../model/run-end.ts';
import { itemsInShard } from '../model/shard.ts';
import { finishBatch } from '../store/stored-results.ts';
import type { OpenBatch } from '../store/open-batch.ts';
import { createRecords } from '../store/records.ts';

export interface BatchReport
  extends BatchSummary, Pick<ErrorTotals, 'commonestError' | 'unknownReason' | 'refusedRetries'> {
  readonly expiredItems: readonly number[];
  readonly tookMs: number;
  /** Undefined when no price or no execution time is known. */
  readonly cost: ExecutionCost | undefined;
  readonly resumed: boolean;
  readonly stopped: StopCause | undefined;
  readonly unrecorded: RunEnd['unrecorded'];
  /** In this run, refused ones included. */
  readonly failedItems: number;
  /** Of these, submissions that the service refused. */
  readonly refused: number;
}

interface RunningBatch {
  readonly path: string;
  readonly open: OpenBatch;
  readonly inputs: BatchInputs;
}

/** An error that stopped it is in the report. Throws only errors that are bugs. */
export async function runToEnd(ports: BatchPorts, batch: RunningBatch, view: BatchView): Promise<BatchReport> {
  const { path, open, inputs } = batch;
  const { states, header, resubmitted } = open;
  const { endpoint, service, invalid } = header;
  const before = states.counts();
  await view.onNotes(open.repairs);
  const { end, totals, ...run } = await drive(ports, batch, before, view);
  const { counts } = end;
  const unordered = end.unordered === true;
  const { failedJobs, ...errors } = totals;
  return {
    ...{ name: path, endpoint, service, invalid, unordered, counts, resubmitted },
    input: nameOfInputs(inputs.sources.map(({ name, path: at }) => name ?? at)),
    unknownItems: [...states.items('unknown')],
    expiredItems: [...states.items('expired')],
    ...run,
    ...errors,
    resumable: itemsLeft(counts) > 0 || unordered,
    resumed: wasBegun(before),
    unrecorded: end.unrecorded,
    failedItems: failedJobs + totals.refused,
  };
}

const DEFAULT_CONCURRENCY = 32;
const MAX_IN_FLIGHT = 1000;
/** With a limit of failures: submitted before the first job has ended. */
const FIRST_IN_FLIGHT = 10;

/** Any error that is not a Failure is a bug and is thrown instead. */
type StopCause =
  | { readonly reason: 'interrupt' | 'timeout' | 'failures' }
  | { readonly reason: 'error'; readonly failure: Failure };

/** Throws only errors that are bugs. */
async function drive(ports: BatchPorts, { path, open, inputs }: RunningBatch, before: ItemCounts, view: BatchView) {
  const { clock, signal, durable } = ports;
  const { states, journal } = open;
  const { endpointId } = open.header;
  const started = clock.monotonic();
  let applyWindows = (_: readonly RateWindow[]): void => undefined;
  const secondInterrupt = new AbortController();
  const api = ports.batchApi({
    signal: secondInterrupt.signal,
    onWindows: (windows) => {
      applyWindows(windows);
    },
  });
  const client = createQueueClient(api, asId(endpointId), optionsText(open.settings));
  const requestPrice = (until: AbortSignal) => ports.workerPrice(endpointId, until);
  const cost = createCostMeter(clock, signal, requestPrice, wasBegun(before), ({ low, high }) => {
    const known = open.workerPrice;
    if (known?.low === low && known.high === high) return;
    // A failed write stops the batch at the next record.
    journal.write({ kind: 'price', perHour: { low, high } }).catch(() => undefined);
  });
  const tally = createErrorTally();
  let problem: BatchProgress['problem'];

  // The first interrupt waits for the answers of pending requests, a second one aborts them.
  const onInterrupt = (): void => {
    if (client.pending > 0) view.onFirstInterrupt(client.pending);
  };
  signal.addEventListener('abort', onInterrupt, { once: true });
  const stopListening = ports.onSecondInterrupt(() => {
    secondInterrupt.abort(requestAborted());
  });
  const done = new AbortController();
  const following = view.follow(() => ({ counts: states.counts(), cost: cost.total(), problem }), done.signal);
  let end: RunEnd;
  let tookMs: number;
  try {
    const run = await runItems({
      // oxlint-disable-next-line berth/no-wall-clock -- a date, for the journal
      records: createRecords(open, () => clock.now()),
      options: runOptions(open),
      items: itemsInShard(allItems(ports, inputs), open.header.shard),
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
        onRequest: (failure, failingSince) => {
          problem = failure && failingSince !== undefined ? { failingSince, message: failure.message } : undefined;
        },
        onUnknown: tally.onUnknown,
      },
    });
    end = await finishBatch(durable, path, open, run, signal);
    tookMs = clock.monotonic() - started;
  } finally {
    signal.removeEventListener('abort', onInterrupt);
    stopListening();
    done.abort();
    await following;
    await cost.close();
    // After a failed write, closing fails too; the failure is in `end` already.
    await open.close().catch(() => undefined);
  }
  const run = { stopped: stopCause(end.stopped), tookMs, cost: cost.total() };
  return { end, totals: tally.totals(), ...run };
}

const wasBegun = ({ waiting, planned }: ItemCounts): boolean => waiting < planned;

function runOptions({ states, settings, header }: OpenBatch): RunOptions {
  const shards = header.shard?.of ?? 1;
  const { maxFailures } = settings;
  const inFlight = settings.inFlight === undefined ? undefined : partOf(settings.inFlight, shards);
  const most = partOf(MAX_IN_FLIGHT, shards);
  return {
    concurrency: settings.concurrency ?? DEFAULT_CONCURRENCY,
    shards,
    rate: (settings.rate ?? RATE_LIMITS.run.rate) / shards,
    get inFlight() {
      if (inFlight !== undefined || maxFailures === undefined) return inFlight ?? most;
      // All jobs in flight still run when the limit is exceeded: allow as many as have completed.
      return Math.min(most, Math.max(FIRST_IN_FLIGHT, maxFailures + 1, states.count('completed')));
    },
    maxFailures: maxFailures ?? Number.POSITIVE_INFINITY,
    maxTime: settings.maxTime ?? Number.POSITIVE_INFINITY,
    retryFailed: settings.retryFailed ?? 0,
    ttlMs: settings.ttl,
  };
}

const partOf = (count: number, shards: number): number => Math.max(1, Math.floor(count / shards));

function stopCause(stopped: Stopped | undefined): StopCause | undefined {
  if (stopped === undefined) return undefined;
  const { reason, failure } = stopped;
  if (reason !== 'error') return { reason };
  if (!(failure instanceof Failure)) throw failure;
  return { reason, failure };
}

/** A second interrupt aborted it: the request may have been accepted. */
const requestAborted = (): Failure =>
  new Failure({ code: 'outcome-unknown', exit: EXIT.unknown, message: 'its answer was not waited for' });

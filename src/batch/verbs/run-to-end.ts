import { createCostMeter, type ExecutionCost } from './cost-meter.ts';
import type { BatchSummary, MonotonicMs, RunEnd, Stopped } from '../model/batch.ts';
import { type EndEvent, type ItemCounts, itemsLeft } from '../model/item-states.ts';
import { errorOf, MAX_ERROR_LENGTH } from '../model/result-line.ts';
import { allItems, type BatchInputs, type InputPorts, type InputSummary } from '../read/inputs.ts';
import { createFailureGroups } from '../results/analysis.ts';
import { createRequestRates } from '../run/adaptive-rate.ts';
import { createQueueClient } from '../run/queue-client.ts';
import type { RunOptions } from '../run/run-state.ts';
import { runItems } from '../run/runner.ts';
import { inputName } from '../store/find-batch.ts';
import { createRecords, finishBatch, type OpenBatch } from '../store/open-batch.ts';
import type { Context } from '../../core/context.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import type { Json } from '../../core/json.ts';
import type { DollarRange } from '../../core/units.ts';
import { RATE_LIMITS } from '../../queue/limits.ts';
import { optionsText } from '../../queue/requests.ts';

export interface BatchPorts extends InputPorts, Pick<Context, 'batchApi' | 'clock' | 'random' | 'onSecondInterrupt'> {
  readonly local: boolean;
  /** Per hour; undefined when it is unknown. May fail. */
  readonly workerPrice: (endpointId: string, signal: AbortSignal) => Promise<DollarRange | undefined>;
}

export interface BatchView {
  /** Called before the first request of a new batch. */
  readonly onBegun?: (summary: InputSummary) => Promise<void>;
  /** One sentence for each repaired file or for items set back. */
  readonly onNotes: (notes: readonly string[]) => Promise<void>;
  readonly follow: (progress: () => BatchProgress, until: AbortSignal) => Promise<void>;
  /** Only when requests are still pending. */
  readonly onFirstInterrupt: (pendingRequests: number) => void;
}

export interface BatchProgress {
  readonly counts: ItemCounts;
  readonly cost: ExecutionCost | undefined;
  /** No request has succeeded since then. */
  readonly problem: { readonly failingSince: MonotonicMs; readonly message: string } | undefined;
}

export interface BatchReport extends BatchSummary, ReturnType<ReturnType<typeof createErrorTally>['totals']> {
  readonly expiredItems: readonly number[];
  readonly tookMs: number;
  /** Undefined when no price or no execution time is known. */
  readonly cost: ExecutionCost | undefined;
  readonly stopped: StopCause | undefined;
  readonly unrecorded: RunEnd['unrecorded'];
}

interface RunningBatch {
  readonly path: string;
  readonly open: OpenBatch;
  readonly inputs: BatchInputs;
}

/** An error that stopped it is in the report. Throws only errors that are bugs. */
export async function runToEnd(ports: BatchPorts, batch: RunningBatch, view: BatchView): Promise<BatchReport> {
  const { path, open } = batch;
  const { states, header, resubmitted } = open;
  const { endpoint, service, invalid } = header;
  const before = states.counts();
  await view.onNotes(open.repairs);
  const { end, totals, ...run } = await drive(ports, batch, before, view);
  const { counts } = end;
  const unordered = end.unordered === true;
  return {
    name: path,
    endpoint,
    service,
    invalid,
    unordered,
    counts,
    resubmitted,
    input: inputName(path, header),
    unknownItems: [...states.items('unknown')],
    expiredItems: [...states.items('expired')],
    ...run,
    ...totals,
    resumable: itemsLeft(counts) > 0 || unordered,
    unrecorded: end.unrecorded,
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
  const options = runOptions(open);
  const rates = createRequestRates(options, options.shard?.of ?? 1, clock, ports.random);
  const secondInterrupt = new AbortController();
  const api = await ports.batchApi({ signal: secondInterrupt.signal, onWindows: rates.applyWindows });
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
      options,
      rates,
      client,
      clock,
      items: allItems(ports, inputs),
      interrupt: signal,
      observer: {
        onExecuted: cost.onExecuted,
        onEnded: tally.onEnded,
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
    shard: header.shard,
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

/** Why items did not complete in this run. */
function createErrorTally() {
  const [errors, unknown] = [createFailureGroups(), createFailureGroups()];
  let [failedItems, refused] = [0, 0];
  return {
    onEnded: (event: EndEvent, document: Json): void => {
      if (event.kind === 'refuse') refused += 1;
      else if (event.ending !== 'failed' && event.ending !== 'timedOut') return;
      failedItems += 1;
      errors.add('', { error: errorOf(document) });
    },
    onUnknown: ({ message }: Failure): void => {
      unknown.add('', { error: message.slice(0, MAX_ERROR_LENGTH) });
    },
    totals: () => ({
      /** Refused ones included. */
      failedItems,
      /** Submissions that the service refused. */
      refused,
      /** Undefined when there is none. */
      commonestError: mostFrequent(errors),
      /** Why the outcome of a submission is unknown; undefined when there is none. */
      unknownReason: mostFrequent(unknown)?.error,
    }),
  };
}

/** Its pattern, such as `no model at <path>`, where the texts differ. */
function mostFrequent(groups: ReturnType<typeof createFailureGroups>) {
  const [group] = groups.summary().groups;
  if (group === undefined) return undefined;
  const { pattern, count, examples } = group;
  return { error: examples.length === 1 ? (examples[0]?.error ?? pattern) : pattern, count };
}

import type { DollarRange } from '../core/units.ts';
import { RESULT_RETENTION_MS } from '../queue/limits.ts';
import type { InvalidItem, Item } from './read/item.ts';
import type { BatchLimits, BatchPorts, BatchView } from './ports.ts';
import { drive } from './drive.ts';
import type { ErrorTally } from './results/report/error-counts.ts';
import type { BatchReport, NotRetried } from './results/report/report-types.ts';
import { finishBatch } from './run/verify-and-sort-results.ts';
import { fileBooks } from './stores/file/file-records.ts';
import type { ItemCounts } from './stores/items/item-states.ts';
import { LOCAL_SERVICE } from './stores/file/journal/record.ts';
import type { OpenBatch } from './stores/file/open-batch.ts';

/** The input of a batch, read again. Reading fails when it is no longer what was checked. */
export interface VerifiedInput {
  /** Its path, or what several inputs are called in messages. */
  readonly path: string;
  readonly items: AsyncGenerator<Iterable<Item | InvalidItem>>;
}

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
  const before = states.counts();
  const resumed = before.waiting < before.planned;
  const driven = await drive(
    ports,
    {
      endpointId: header.endpointId,
      extras: header.extras,
      // eslint-disable-next-line no-restricted-syntax -- a date, for the journal
      books: fileBooks(batch, () => clock.now()),
      items: input.items,
      resumed,
      recordPrice: (price) => {
        recordPrice(batch, price);
      },
      finish: (end) => finishBatch(durable, path, batch, end, signal),
      close: () => batch.close(),
    },
    limits,
    view,
  );
  const { end, tally } = driven;
  const { counts } = end;
  const left = counts.waiting + counts.inFlight > 0;
  const unordered = end.unordered === true;
  const retried = (limits.retryFailed ?? 0) > 0;
  return {
    results: path,
    reference: [path],
    endpoint: header.endpoint,
    input: input.path,
    onLocalService: header.service === LOCAL_SERVICE,
    counts,
    invalid: header.invalid,
    unknownItems: [...states.items('unknown')],
    resubmitted: batch.resubmitted,
    unordered,
    resumable: left || unordered,
    tookMs: driven.tookMs,
    cost: driven.cost,
    resumed,
    stopped: driven.stopped,
    unrecorded: end.unrecorded,
    failedItems: tally.failedJobs() + tally.refused(),
    commonestError: tally.mostFrequent(),
    unknownReason: tally.mostFrequentUnknown()?.error,
    failedRequests: driven.failedRequests,
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

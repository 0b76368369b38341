import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import type { BatchLimits, BatchView } from '../ports.ts';
import { compress } from '../bytes/compression.ts';
import { drive, type Driven } from '../drive.ts';
import type { BatchReport } from '../results/report/report-types.ts';
import { LOCAL_SERVICE } from '../stores/file/journal/record.ts';
import { addPrice, readAccount, type Account, type StoredBatch } from '../stores/postgres/rows/batch-rows.ts';
import { listUnknown } from '../stores/postgres/rows/listing.ts';
import type { Driver } from '../stores/postgres/rows/shard-rows.ts';
import { createLease } from '../stores/postgres/driver/lease.ts';
import { createSharedBooks } from '../stores/postgres/driver/driver-records.ts';
import { createWriteQueue } from '../stores/postgres/driver/write-queue.ts';
import { openPaces } from './open-paces.ts';
import { claimOut } from './out-marker.ts';
import type { SharedPorts } from './ports.ts';
import { sharedItems } from './shared-items.ts';

export interface DriveOptions {
  /** Milliseconds for which a driver has a shard without renewing its lease. */
  readonly leaseMs: number;
  readonly limits: BatchLimits;
  /** Address of the queue API in use. */
  readonly service: string;
  /** True when the service is the same although its address changed. */
  readonly moved: boolean;
}

/** A driver waits for the store this long before it gives up. */
const MAX_OUTAGE_MS = 10 * 60_000;

/**
 * Drives a shared batch until it is done or something stops this driver: an error that stopped it is in the report. Fails
 * with usage (2) when the address of the service is not that of the batch, and with local-file (14) when the folder of the
 * results is not its own.
 */
export async function driveShared(
  ports: SharedPorts,
  batch: StoredBatch,
  { leaseMs, limits, service, moved }: DriveOptions,
  view: BatchView,
): Promise<BatchReport> {
  const { clock, database, random } = ports;
  const { manifest } = batch;
  if (service !== manifest.service && !moved)
    throw usage(
      `this batch was begun at ${manifest.service}, and the address in use is ${service}`,
      'Use the settings it was begun with. If it is the same service, give the same command with --moved.',
    );
  await claimOut(ports, batch);
  const before = await readAccount(database, batch.batch);
  const driver: Driver = { batch: batch.batch, owner: randomName(random), leaseMs };
  const queue = createWriteQueue(clock, random, MAX_OUTAGE_MS);
  const onInterrupt = (): void => {
    queue.hurry();
  };
  ports.signal.addEventListener('abort', onInterrupt, { once: true });
  const secondInterrupt = new AbortController();
  const onSecondInterrupt: SharedPorts['onSecondInterrupt'] = (listener) =>
    ports.onSecondInterrupt(() => {
      secondInterrupt.abort(ports.signal.reason);
      listener();
    });
  const books = createSharedBooks({
    database,
    driver,
    parts: {
      storage: ports.storage,
      isWaiting: ports.isStorageWaiting,
      out: manifest.out,
      token: batch.token ?? '',
      compression: manifest.compression,
      compress: (chunks, kind) => (kind === 'none' ? chunks : compress(chunks, kind)),
      signal: secondInterrupt.signal,
    },
    lease: createLease(clock, leaseMs),
    queue,
    clock,
    counts: before,
  });
  const driven = await drive(
    { ...ports, onSecondInterrupt },
    {
      endpointId: manifest.endpointId,
      extras: manifest.extras,
      books,
      items: sharedItems(ports, manifest, books),
      paces: openPaces(ports, batch, driver.owner, limits.rate),
      resumed: before.waiting < before.planned,
      recordPrice: (price) => {
        addPrice(database, batch.batch, price).catch(() => undefined);
      },
      finish: async (end) => {
        try {
          await books.close();
          return end;
        } catch (failure) {
          if (failure === secondInterrupt.signal.reason) return end;
          return { ...end, stopped: end.stopped?.reason === 'error' ? end.stopped : { reason: 'error', failure } };
        }
      },
      close: async () => {
        ports.signal.removeEventListener('abort', onInterrupt);
      },
    },
    limits,
    view,
  );
  return await reportOf(ports, batch, before, driven);
}

/** Twelve characters. */
const randomName = (random: () => number): string =>
  Array.from({ length: 12 }, () => Math.floor(random() * 36).toString(36)).join('');

async function reportOf(
  { database, reference }: SharedPorts,
  batch: StoredBatch,
  before: Account,
  driven: Driven,
): Promise<BatchReport> {
  const { end, tally } = driven;
  const { manifest } = batch;
  // When the store cannot be reached, the counts are those that this driver knows.
  const account = await readAccount(database, batch.batch).catch(() => undefined);
  const unknownItems = await listUnknown(database, batch.batch).catch(() => []);
  const { holds: _, ...counts } = account ?? { ...end.counts, holds: true };
  if (account?.holds === false && driven.stopped?.reason !== 'error') throw accountBroken(batch.name);
  const left = counts.waiting + counts.inFlight > 0;
  return {
    results: batch.name,
    reference: reference(batch.name),
    endpoint: manifest.endpoint,
    input: manifest.input,
    onLocalService: manifest.service === LOCAL_SERVICE,
    counts,
    invalid: batch.invalid,
    unknownItems,
    resubmitted: batch.resubmitted,
    unordered: false,
    resumable: left,
    tookMs: driven.tookMs,
    cost: driven.cost,
    resumed: before.waiting < before.planned,
    stopped: driven.stopped,
    unrecorded: end.unrecorded,
    failedItems: tally.failedJobs() + tally.refused(),
    commonestError: tally.mostFrequent(),
    unknownReason: tally.mostFrequentUnknown()?.error,
    failedRequests: driven.failedRequests,
    notRetried: undefined,
    retryableJobs: 0,
    expiredItems: [],
  };
}

const accountBroken = (name: string): Failure =>
  new Failure({
    code: 'store-broken',
    exit: EXIT.localFile,
    message: `the counts of batch ${name} in the store do not add up`,
    hint: 'Rows were changed by hand, or the database was restored to an earlier state. Nothing more was sent.',
  });

import type { SharedPorts } from './database/database.ts';
import { storeBroken } from './database/failures.ts';
import type { Failure } from '../../../core/failure.ts';
import { openInputs } from '../../read/inputs.ts';
import { expiredSince } from '../../model/expired-since.ts';
import type { DriveOptions, Session } from '../../model/store.ts';
import { createDriverRecords } from './driver/run-records-of-driver.ts';
import { createLease } from './driver/lease.ts';
import { MAX_OUTAGE_MS } from '../../model/outage.ts';
import { createWriteQueue } from './driver/write-queue.ts';
import { openPaces } from './pace/shared-pace.ts';
import { findLeftovers } from './results/leftovers.ts';
import { claimOut } from './results/out-marker.ts';
import { addPrice, readAccount, type StoredBatch } from './rows/batch-rows.ts';
import { hasExpiredSince, listExpired } from './results/part-reader.ts';
import { listUnknown } from './rows/listing.ts';
import { ownerText } from './rows/shard-holders.ts';
import type { Driver } from './rows/shard-rows.ts';

/** More items that have expired are not listed one by one: the parts of their shards are read for that. */
const MAX_EXPIRED = 1000;

/**
 * Works on a batch together with other drivers. Fails with local-file (14) when the folder of the results is not that of the
 * batch, and as the database does.
 */
export async function driverSession(
  ports: SharedPorts,
  batch: StoredBatch,
  { leaseMs, rate }: DriveOptions,
  notes: readonly string[],
): Promise<Session> {
  const { database, clock, random, signal } = ports;
  const { manifest } = batch;
  await claimOut(ports, batch);
  const { holds: _, ...before } = await readAccount(database, batch.batch);
  const id = randomName(random, 12);
  const driver: Driver = { batch: batch.batch, owner: ownerText({ id, leaseMs, ...ports.durable.self() }), leaseMs };
  const queue = createWriteQueue(clock, random, MAX_OUTAGE_MS);
  const onInterrupt = (): void => {
    queue.hurry();
  };
  signal.addEventListener('abort', onInterrupt, { once: true });
  const secondInterrupt = new AbortController();
  const stopListening = ports.onSecondInterrupt(() => {
    secondInterrupt.abort(signal.reason);
  });
  const records = createDriverRecords({
    database,
    driver,
    files: {
      storage: ports.storage,
      isWaiting: ports.isStorageWaiting,
      out: manifest.out,
      token: batch.token ?? '',
      compression: manifest.compression,
      signal: secondInterrupt.signal,
    },
    lease: createLease(clock, leaseMs),
    queue,
    clock,
    counts: before,
  });
  return {
    input: manifest.input,
    extras: manifest.extras,
    records,
    claims: records,
    outage: () => records.outage(),
    inputs: openInputs(ports, manifest),
    paces: openPaces(ports, batch, id, rate),
    before,
    notes,
    recordPrice: (price) => {
      addPrice(database, batch.batch, price).catch(() => undefined);
    },
    finish: async (end) => {
      try {
        await records.close();
        return end;
      } catch (failure) {
        if (failure === secondInterrupt.signal.reason) return end;
        return { ...end, stopped: end.stopped?.reason === 'error' ? end.stopped : { reason: 'error', failure } };
      }
    },
    close: async () => {
      signal.removeEventListener('abort', onInterrupt);
      stopListening();
    },
    account: async (end) => {
      // When the store cannot be reached, the counts are those that this driver knows.
      const account = await readAccount(database, batch.batch).catch(() => undefined);
      const { holds, ...counts } = account ?? { ...end.counts, holds: true };
      if (!holds && end.stopped?.reason !== 'error') throw accountBroken(batch.name);
      return {
        counts,
        unknownItems: await listUnknown(database, batch.batch).catch(() => []),
        // They are in the parts alone. Their number is in the counts.
        expiredItems:
          counts.expired === 0 || counts.expired > MAX_EXPIRED ? [] : await listExpired(ports, batch).catch(() => []),
        expiredMayBeThere:
          counts.expired > 0 &&
          (await hasExpiredSince(ports, batch, expiredSince(clock, manifest.extras)).catch(() => false)),
        resubmitted: batch.resubmitted,
        // One listing. After an error the storage may be what does not answer.
        unpublished: end.stopped?.reason === 'error' ? 0 : (await findLeftovers(ports, batch).catch(() => [])).length,
        retryableBefore: undefined,
      };
    },
  };
}

/** Letters and digits at random. */
export const randomName = (random: () => number, length: number): string =>
  Array.from({ length }, () => Math.floor(random() * 36).toString(36)).join('');

const accountBroken = (name: string): Failure =>
  storeBroken(
    `the counts of batch ${name} in the store do not add up`,
    'Rows were changed by hand, or the database was restored to an earlier state. Nothing more was sent.',
  );

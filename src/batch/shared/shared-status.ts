import type { BatchSummary } from '../results/report/report-types.ts';
import { LOCAL_SERVICE } from '../stores/file/journal/record.ts';
import { readAccount, type StoredBatch } from '../stores/postgres/rows/batch-rows.ts';
import type { Database } from '../stores/postgres/database/database.ts';
import { countDrivers, listUnknown } from '../stores/postgres/rows/listing.ts';

/** The state of a shared batch according to its store. */
export interface SharedStatus extends BatchSummary {
  readonly state: 'running' | 'ended' | 'stopped' | 'cancelled';
  /** The folder or prefix of its parts. */
  readonly out: string;
  /** Number of processes that work on it. */
  readonly drivers: number;
  readonly shards: number;
  readonly doneShards: number;
  /** Milliseconds since the epoch. */
  readonly begunAt: number;
  /** True when `planned` is the sum of all counts. */
  readonly holds: boolean;
}

/** Reads the state of a batch and changes nothing. Fails as the database does. */
export async function sharedStatus(
  database: Database,
  batch: StoredBatch,
  reference: readonly string[],
): Promise<SharedStatus> {
  const { holds, ...counts } = await readAccount(database, batch.batch);
  const { drivers, doneShards } = await countDrivers(database, batch.batch);
  const left = counts.waiting + counts.inFlight > 0;
  const { manifest } = batch;
  return {
    results: batch.name,
    reference,
    endpoint: manifest.endpoint,
    input: manifest.input,
    onLocalService: manifest.service === LOCAL_SERVICE,
    counts,
    invalid: batch.invalid,
    resubmitted: batch.resubmitted,
    unknownItems: await listUnknown(database, batch.batch),
    unordered: false,
    resumable: left,
    state: drivers > 0 ? 'running' : !left ? 'ended' : batch.cancelled ? 'cancelled' : 'stopped',
    out: manifest.out,
    drivers,
    shards: batch.shards,
    doneShards,
    begunAt: batch.createdAt,
    holds,
  };
}

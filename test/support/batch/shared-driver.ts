import type { KnownJob } from '../../../src/batch/model/run-records.ts';
import type { Clock, ObjectStorage } from '../../../src/core/context.ts';
import type { Database } from '../../../src/batch/stores/postgres/database/database.ts';
import { createLease } from '../../../src/batch/stores/postgres/driver/lease.ts';
import {
  createDriverRecords,
  type DriverRecords,
} from '../../../src/batch/stores/postgres/driver/run-records-of-driver.ts';
import { createWriteQueue } from '../../../src/batch/stores/postgres/driver/write-queue.ts';

export interface SharedDriverOptions {
  readonly owner?: string;
  /** Called with the address of each part that is written; the part is complete when it resolves. */
  readonly write?: (address: string) => Promise<void>;
  /** Whether the storage waits for new credentials. */
  readonly isWaiting?: () => boolean;
  /** Items of the batch. */
  readonly items?: number;
  /** Where parts are kept, in a folder `/out`; by default they are not. */
  readonly storage?: ObjectStorage;
}

/** A driver, and how its time passes. */
export interface SharedDriver {
  readonly records: DriverRecords;
  /** The jobs that the store had when a shard was claimed. */
  readonly jobs: readonly KnownJob[];
  /** What was reported to the run. */
  readonly failures: readonly unknown[];
  /** Moves its clock forward and wakes those sleepers that are due. Milliseconds. */
  readonly advance: (milliseconds: number) => void;
}

/** The token of batch 1, in the names of its parts. */
export const TOKEN = '00000000-0000-0000-0000-000000000001';

/** A clock that stands still until it is moved. */
function createStandingClock(): Clock & Pick<SharedDriver, 'advance'> {
  let time = 0;
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  return {
    now: () => time,
    monotonic: () => time,
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { at: time + milliseconds, wake: resolve };
        const onAbort = (): void => {
          sleepers.delete(sleeper);
          reject(new Error('aborted'));
        };
        if (signal?.aborted === true) {
          onAbort();
          return;
        }
        sleepers.add(sleeper);
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
    deadline: () => ({ signal: new AbortController().signal, cancel: () => undefined }),
    advance: (milliseconds) => {
      time += milliseconds;
      for (const sleeper of sleepers)
        if (sleeper.at <= time) {
          sleepers.delete(sleeper);
          sleeper.wake();
        }
    },
  };
}

/** Opens the records of a driver of batch 1 in a database. Its parts are not kept. */
export function openSharedDriver(
  database: Database,
  {
    owner = 'a',
    write = () => Promise.resolve(),
    items = 5,
    isWaiting = () => false,
    storage: kept,
  }: SharedDriverOptions = {},
): SharedDriver {
  const clock = createStandingClock();
  const failures: unknown[] = [];
  const jobs: KnownJob[] = [];
  const none = (): never => {
    throw new Error('not expected');
  };
  const storage: ObjectStorage = kept ?? {
    write: async (address, chunks) => {
      let bytes = 0;
      for await (const chunk of chunks) bytes += chunk.byteLength;
      await write(address);
      return { address, bytes, version: '' };
    },
    list: none,
    describe: none,
    read: none,
    remove: none,
    create: none,
  };
  const counts = { completed: 0, failed: 0, cancelled: 0, timedOut: 0, expired: 0, unknown: 0, inFlight: 0 };
  const records = createDriverRecords({
    database,
    driver: { batch: 1, owner, leaseMs: 60_000 },
    files: {
      storage,
      out: kept === undefined ? 'out' : '/out',
      token: TOKEN,
      compression: 'none',
      isWaiting,
      signal: new AbortController().signal,
    },
    lease: createLease(clock, 60_000),
    queue: createWriteQueue(clock, () => 0, 1000),
    clock,
    counts: { ...counts, planned: items, waiting: items },
  });
  records.open({
    onJobs: (found) => jobs.push(...found),
    onChange: () => undefined,
    onCancelled: () => undefined,
    onFailure: (failure) => failures.push(failure),
  });
  return { records, jobs, failures, advance: clock.advance };
}

/** Sends an item, and records that the service accepted it as the job `job-ITEM`. */
export async function acceptItem(records: DriverRecords, item: number): Promise<void> {
  await records.record(item, { kind: 'send' });
  await records.record(item, { kind: 'accept', job: `job-${String(item)}` }, { at: 1 });
}

/** Saves the result of an item. */
export const completeItem = (records: DriverRecords, item: number, output = ''): Promise<void> =>
  records.saveResult(
    { item, job: `job-${String(item)}` },
    { status: 'COMPLETED', output },
    { kind: 'end', ending: 'completed' },
  );

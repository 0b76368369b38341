import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/core/context.ts';
import type { KnownJob, RunRecords } from '../../../src/batch/model/run-records.ts';
import { fileRecords } from '../../../src/batch/stores/file/file-session.ts';
import type { ItemCounts } from '../../../src/batch/model/item-states.ts';
import { beginFiles } from './begin-batch.ts';
import type { OpenBatch } from '../../../src/batch/stores/file/open-batch.ts';
import { createBatchRows, findBatch, readAccount } from '../../../src/batch/stores/postgres/rows/batch-rows.ts';
import type { Database } from '../../../src/batch/stores/postgres/database/database.ts';
import { recoverBatch } from '../../../src/batch/stores/file/recover-batch.ts';
import { createLease } from '../../../src/batch/stores/postgres/driver/lease.ts';
import { createDriverRecords } from '../../../src/batch/stores/postgres/driver/run-records-of-driver.ts';
import { createWriteQueue } from '../../../src/batch/stores/postgres/driver/write-queue.ts';
import { memoryFiles } from './memory-files.ts';

/** One store as a test drives it. */
export interface StoreUnderTest {
  /** Opens the records. Returns them and the jobs that the service has according to them. */
  open(): Promise<{ readonly records: RunRecords; readonly jobs: readonly KnownJob[] }>;
  /** Ends the process that has the records without a word. */
  crash(): Promise<void>;
  /** Closes the records as a run does that was interrupted. */
  close(): Promise<void>;
  /** The counts while nobody has the records open. */
  account(): Promise<ItemCounts>;
}

/** Creates the journal beside the results, in memory, for so many items. */
export function fileStore(items: number): StoreUnderTest {
  const files = memoryFiles();
  let batch: OpenBatch | undefined;
  const close = async (): Promise<void> => {
    await batch?.close();
    batch = undefined;
  };
  const begin = (): Promise<OpenBatch> =>
    beginFiles(files, 'r.jsonl', {
      version: 2,
      endpoint: 'echo',
      endpointId: 'echo',
      service: 'http://127.0.0.1:1',
      input: { format: 'jsonl', inputs: [] },
      extras: '',
      planned: items,
      invalid: 0,
      ordered: false,
      createdAt: 0,
    });
  let begun = false;
  const open = async (): Promise<OpenBatch> => {
    batch = begun ? await recoverBatch(files, 'r.jsonl', { wantFailed: false }) : await begin();
    begun = true;
    return batch;
  };
  return {
    open: async () => {
      const opened = await open();
      return { records: fileRecords(opened, () => 0), jobs: opened.jobs };
    },
    // Every record was waited for, so nothing is lost that a crash would lose.
    crash: close,
    close,
    account: async () => {
      const { states } = await open();
      await close();
      return states.counts();
    },
  };
}

/** A clock on which no time passes. A sleep ends with its signal. */
const stoppedClock: Clock = {
  now: () => 0,
  monotonic: () => 0,
  sleep: (_, signal) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        reject(new Error('aborted'));
      });
    }),
  deadline: () => ({ signal: new AbortController().signal, cancel: () => undefined }),
};

/** Creates a batch in a database for so many items, in shards of some items. */
export async function sharedStore(
  database: Database,
  name: string,
  items: number,
  shardItems: number,
): Promise<StoreUnderTest> {
  const shards = Array.from({ length: Math.ceil(items / shardItems) }, (_, at) => ({
    source: 0,
    range: {
      ...{ start: 0, end: 0, firstLine: 1, digest: '', invalid: 0 },
      firstItem: at * shardItems + 1,
      items: Math.min(shardItems, items - at * shardItems),
    },
  }));
  const manifest = {
    version: 1,
    endpoint: 'echo',
    endpointId: 'echo',
    service: 'http://127.0.0.1:1',
    input: 'in.jsonl',
    sources: [],
    format: { format: 'jsonl' },
    extras: '',
    out: `out/${name}`,
    compression: 'none',
  } as const;
  await createBatchRows(database, name, manifest, shards);
  const { batch } = await findBatch(database, name);
  let driver = 0;
  let current: ReturnType<typeof createDriverRecords> | undefined;
  const open = (): ReturnType<typeof createDriverRecords> => {
    driver += 1;
    return createDriverRecords({
      database,
      driver: { batch, owner: String(driver), leaseMs: 60_000 },
      files: {
        storage: {
          write: async (address, chunks) => {
            for await (const _ of chunks);
            return { address, bytes: 0, version: '' };
          },
          list: () => {
            throw new Error('not expected');
          },
          describe: () => Promise.resolve(undefined),
          read: () => {
            throw new Error('not expected');
          },
          create: () => Promise.resolve(true),
          remove: () => Promise.resolve(),
        },
        out: 'out',
        token: name,
        compression: 'none',
        isWaiting: () => false,
        signal: new AbortController().signal,
      },
      lease: createLease(stoppedClock, 60_000),
      queue: createWriteQueue(stoppedClock, () => 0, 1000),
      clock: stoppedClock,
      counts: {
        planned: items,
        completed: 0,
        failed: 0,
        cancelled: 0,
        timedOut: 0,
        expired: 0,
        unknown: 0,
        inFlight: 0,
        waiting: items,
      },
    });
  };
  const failures: unknown[] = [];
  onTestFinished(() => {
    if (failures.length > 0) throw failures[0];
  });
  return {
    open: async () => {
      const jobs: KnownJob[] = [];
      const records = (current = open());
      records.open({
        onJobs: (found) => jobs.push(...found),
        onChange: () => undefined,
        onCancelled: () => undefined,
        onFailure: (failure) => failures.push(failure),
      });
      while (typeof (await records.claim()) === 'object');
      await records.idle();
      return { records, jobs };
    },
    crash: async () => {
      await current?.idle();
      // What the dead driver would still do is refused by the epoch; its leases end now.
      await database.query(
        `UPDATE berth.shards SET lease_until = now() - interval '1 second' WHERE batch = $1 AND NOT done`,
        [batch],
      );
    },
    close: async () => {
      await current?.close();
    },
    account: async () => {
      const { holds, ...counts } = await readAccount(database, batch);
      if (!holds) throw new Error('the counts do not add up');
      return counts;
    },
  };
}

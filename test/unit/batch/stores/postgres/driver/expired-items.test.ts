import { expect, test } from 'vitest';
import { reopenItems } from '../../../../../../src/batch/stores/postgres/reopen-items.ts';
import { findBatch, readAccount } from '../../../../../../src/batch/stores/postgres/rows/batch-rows.ts';
import type { Clock } from '../../../../../../src/core/context.ts';
import { createFolderStorage } from '../../../../../../src/storage/folder-storage.ts';
import { databaseWithShard } from '../../../../../support/batch/database-with-shard.ts';
import { memoryFiles } from '../../../../../support/batch/memory-files.ts';
import { acceptItem, completeItem, openSharedDriver } from '../../../../../support/batch/shared-driver.ts';
import { describeWithPostgres, useCluster } from '../../../../../support/postgres/postgres.ts';

const noneFound = (): Promise<ReadonlySet<number>> => Promise.resolve(new Set());

describeWithPostgres('a resume of a shared batch', () => {
  const cluster = useCluster();

  test('asks once more for expired jobs that the service may still have, and not for older ones', async () => {
    const database = await databaseWithShard(cluster());
    await database.query(
      `UPDATE berth.batches SET manifest = '{"out":"/out","extras":"","endpoint":"ep","endpointId":"ep","service":"",
        "input":"in.jsonl","sources":[],"format":{"format":"jsonl"},"compression":"none"}'`,
    );
    const storage = createFolderStorage(memoryFiles(), () => 0.5);
    const expire = (records: ReturnType<typeof openSharedDriver>['records'], item: number): Promise<void> =>
      records.saveResult(
        { item, id: `"label ${String(item)}"`, job: `job-${String(item)}` },
        { status: 'EXPIRED', error: 'gone' },
        { kind: 'end', ending: 'expired' },
      );
    const { records } = openSharedDriver(database, { storage });
    await records.claim();
    for (const item of [1, 2, 3, 4, 5]) await acceptItem(records, item);
    for (const item of [1, 2, 3]) await completeItem(records, item);
    for (const item of [4, 5]) await expire(records, item);
    await records.close();
    expect(await readAccount(database, 1)).toMatchObject({ completed: 3, expired: 2, holds: true });

    const [row] = await database.query<{ now: number }>('SELECT extract(epoch FROM now())::float8 * 1000 AS now');
    const ports = (ageMs: number) => {
      const clock: Pick<Clock, 'now'> = { now: () => (row?.now ?? 0) + ageMs };
      return { database, storage, signal: new AbortController().signal, clock: { ...clock } as Clock };
    };
    const batch = await findBatch(database, 'b');
    expect(await reopenItems(ports(3_600_000), batch, undefined, noneFound)).toEqual({ count: 0, notes: [] });
    expect(await readAccount(database, 1)).toMatchObject({ completed: 3, expired: 2, holds: true });
    expect(await reopenItems(ports(60_000), batch, undefined, noneFound)).toEqual({ count: 0, notes: [] });
    expect(await readAccount(database, 1)).toMatchObject({ completed: 3, expired: 0, inFlight: 2, holds: true });

    const again = openSharedDriver(database, { owner: 'b', storage });
    await again.records.claim();
    expect(again.jobs.map(({ item, job, id }) => [item, job, id])).toEqual([
      [4, 'job-4', '"label 4"'],
      [5, 'job-5', '"label 5"'],
    ]);
    await completeItem(again.records, 4);
    await expire(again.records, 5);
    await again.records.close();
    expect([...again.failures]).toEqual([]);
    expect(await readAccount(database, 1)).toMatchObject({ completed: 4, expired: 1, inFlight: 0, holds: true });
    expect(await findBatch(database, 'b')).toMatchObject({ resubmitted: 0 });
  });
});

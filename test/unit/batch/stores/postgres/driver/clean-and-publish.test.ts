import { expect, test } from 'vitest';
import { findLeftovers, removeLeftovers } from '../../../../../../src/batch/stores/postgres/results/leftovers.ts';
import { readAccount, type StoredBatch } from '../../../../../../src/batch/stores/postgres/rows/batch-rows.ts';
import type { Database } from '../../../../../../src/batch/stores/postgres/database/database.ts';
import type { ObjectStorage } from '../../../../../../src/core/context.ts';
import { databaseWithShard } from '../../../../../support/batch/database-with-shard.ts';
import { acceptItem, completeItem, openSharedDriver, TOKEN } from '../../../../../support/batch/shared-driver.ts';
import { describeWithPostgres, useCluster } from '../../../../../support/postgres/postgres.ts';

const PART = 'out/part-000000000000-000000-0001.jsonl';

const BATCH = { batch: 1, token: TOKEN, manifest: { out: 'out' }, shards: 1 } as unknown as StoredBatch;
const SIGNAL = new AbortController().signal;

describeWithPostgres('a part that is published while --clean looks', () => {
  const cluster = useCluster();

  test.each([1, 2])('just before its statement %i is not removed', async (statement) => {
    const database = await databaseWithShard(cluster());
    const { records } = openSharedDriver(database);
    await records.claim();
    await acceptItem(records, 1);
    await completeItem(records, 1);
    let statements = 0;
    const hooked: Database = {
      ...database,
      query: async (text, values) => {
        statements += 1;
        if (statements === statement) await records.close();
        return await database.query(text, values);
      },
    };
    const list = async function* () {
      yield { address: PART, bytes: 1, version: '1' };
    };
    const ports = { database: hooked, storage: { list } as unknown as ObjectStorage, signal: SIGNAL };
    expect(await findLeftovers(ports, BATCH)).toEqual([]);
    expect([statements, await database.query('SELECT name FROM berth.parts')]).toEqual([
      2,
      [{ name: 'part-000000000000-000000-0001.jsonl' }],
    ]);
  });
});

describeWithPostgres('a driver that is stopped between writing a part and publishing it', () => {
  const cluster = useCluster();

  test.each([
    { lease: 'has ended', until: "now() - interval '1 second'", removed: [PART], completed: 0 },
    { lease: 'has not ended', until: "now() + interval '1 minute'", removed: [], completed: 1 },
  ])('publishes no part that --clean has removed: its lease $lease', async ({ until, removed, completed }) => {
    const database = await databaseWithShard(cluster());
    const objects = new Set<string>();
    const storage = {
      list: async function* () {
        for (const address of objects) yield { address, bytes: 1, version: '1' };
      },
      remove: async (address: string) => void objects.delete(address),
    } as unknown as ObjectStorage;
    let isWritten = (): void => undefined;
    const written = new Promise<void>((resolve) => (isWritten = resolve));
    let goOn = (): void => undefined;
    const stopped = new Promise<void>((resolve) => (goOn = resolve));
    const { records } = openSharedDriver(database, {
      write: (address) => {
        objects.add(address);
        isWritten();
        return stopped;
      },
    });
    await records.claim();
    await acceptItem(records, 1);
    await completeItem(records, 1);
    const closing = records.close();
    await written;
    await database.query(`UPDATE berth.shards SET lease_until = ${until}`);
    const ports = { database, storage, signal: SIGNAL };
    const garbage = await removeLeftovers(ports, BATCH, await findLeftovers(ports, BATCH));
    expect(garbage.map(({ address }) => address)).toEqual(removed);
    goOn();
    await closing;
    expect(await readAccount(database, 1)).toMatchObject({ completed, inFlight: 1 - completed, holds: true });
    const parts = await database.query<{ name: string }>('SELECT name FROM berth.parts');
    for (const { name } of parts) expect(objects).toContain(`out/${name}`);
  });
});

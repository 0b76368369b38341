import { expect, test } from 'vitest';
import { readAccount } from '../../../../../../src/batch/stores/postgres/rows/batch-rows.ts';
import { databaseWithShard } from '../../../../../support/batch/database-with-shard.ts';
import { acceptItem, completeItem, openSharedDriver } from '../../../../../support/batch/shared-driver.ts';
import { describeWithPostgres, useCluster } from '../../../../../support/postgres/postgres.ts';

/** A result of this length is published at once. */
const LARGE = 'x'.repeat(17 * 1024 * 1024);

describeWithPostgres('a driver that ends while it publishes results', () => {
  const cluster = useCluster();

  test('renews its leases until they are published', async () => {
    const database = await databaseWithShard(cluster());
    let finishWrite = (): void => undefined;
    const written = new Promise<void>((resolve) => (finishWrite = resolve));
    const { records, advance } = openSharedDriver(database, { write: () => written });
    await records.claim();
    await acceptItem(records, 1);
    await completeItem(records, 1);
    const closing = records.close();
    await database.query('UPDATE berth.shards SET lease_until = now()');
    advance(20_000);
    const renewed = async (): Promise<unknown> =>
      database.query('SELECT lease_until > now() AS held FROM berth.shards');
    await expect.poll(renewed).toEqual([{ held: true }]);
    finishWrite();
    await closing;
    expect(await database.query('SELECT owner, completed FROM berth.shards')).toEqual([{ owner: null, completed: 1 }]);
  });

  test('publishes those, too, that it received meanwhile', async () => {
    const database = await databaseWithShard(cluster());
    let finishWrite = (): void => undefined;
    const firstWrite = new Promise<void>((resolve) => (finishWrite = resolve));
    const { records, failures } = openSharedDriver(database, {
      write: (address) => (address.includes('0001') ? firstWrite : new Promise(setImmediate)),
    });
    await records.claim();
    for (const item of [1, 2, 3, 4, 5]) await acceptItem(records, item);
    await completeItem(records, 1, LARGE);
    for (const item of [2, 3, 4, 5]) await completeItem(records, item);
    const closing = records.close();
    finishWrite();
    await closing;
    expect(failures).toEqual([]);
    expect(await readAccount(database, 1)).toMatchObject({ completed: 5, inFlight: 0, holds: true });
  });
});

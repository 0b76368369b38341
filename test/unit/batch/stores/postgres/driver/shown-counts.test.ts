import { expect, test } from 'vitest';
import type { Database } from '../../../../../../src/batch/stores/postgres/database/database.ts';
import type { DriverRecords } from '../../../../../../src/batch/stores/postgres/driver/run-records-of-driver.ts';
import { databaseWithShard } from '../../../../../support/batch/database-with-shard.ts';
import {
  acceptItem,
  completeItem,
  openSharedDriver,
  type SharedDriver,
} from '../../../../../support/batch/shared-driver.ts';
import { describeWithPostgres, useCluster } from '../../../../../support/postgres/postgres.ts';

/** Passes the time of a renewal, in which the counts of the store are read. */
async function renew({ records, advance }: SharedDriver): Promise<void> {
  advance(20_000);
  await new Promise(setImmediate);
  await records.idle();
}

const sendAndRefuse = async (records: DriverRecords, item: number): Promise<void> => {
  await records.record(item, { kind: 'send' });
  await records.saveResult({ item }, { status: 'REFUSED' }, { kind: 'refuse' });
};

describeWithPostgres('the counts that a driver shows', () => {
  const cluster = useCluster();

  test('have refused items once, also after they were read from the store', async () => {
    const driver = openSharedDriver(await databaseWithShard(cluster()));
    await driver.records.claim();
    await sendAndRefuse(driver.records, 1);
    await driver.records.idle();
    await renew(driver);
    expect(driver.records.states.counts()).toMatchObject({ failed: 1, inFlight: 0, waiting: 4 });
    await driver.records.close();
  });

  test('the counts include results that are being written', async () => {
    let finishWrite = (): void => undefined;
    const written = new Promise<void>((resolve) => (finishWrite = resolve));
    const driver = openSharedDriver(await databaseWithShard(cluster()), { write: () => written });
    const { records } = driver;
    await records.claim();
    for (const item of [1, 2, 3, 4]) await acceptItem(records, item);
    await sendAndRefuse(records, 5);
    for (const item of [1, 2, 3, 4]) await completeItem(records, item);
    await renew(driver);
    expect(records.states.counts()).toMatchObject({ completed: 4, failed: 1, inFlight: 0, waiting: 0 });
    finishWrite();
    await records.close();
  });

  test('have what happened while the store was read', async () => {
    const database = await databaseWithShard(cluster());
    let meanwhile: (() => void) | undefined;
    const hooked: Database = {
      ...database,
      query: async (text, values) => {
        const rows = await database.query(text, values);
        if (text.includes('berth.accounts')) {
          meanwhile?.();
          meanwhile = undefined;
        }
        return rows as never;
      },
    };
    const driver = openSharedDriver(hooked);
    const { records } = driver;
    await records.claim();
    const recorded: Promise<void>[] = [];
    meanwhile = () => {
      recorded.push(records.record(1, { kind: 'send' }), records.record(2, { kind: 'send' }));
      recorded.push(records.record(2, { kind: 'lose' }));
    };
    await renew(driver);
    await Promise.all(recorded);
    expect(records.states.counts()).toMatchObject({ inFlight: 1, unknown: 1, waiting: 3 });
    await records.record(1, { kind: 'accept', job: 'job-1' }, { at: 1 });
    await completeItem(records, 1);
    expect(records.states.counts()).toMatchObject({ completed: 1, inFlight: 0, unknown: 1, waiting: 3 });
    await records.close();
  });
});

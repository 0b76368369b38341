import { expect, test } from 'vitest';
import type { Database } from '../../../../../src/batch/stores/postgres/database/database.ts';
import type { SharedBooks } from '../../../../../src/batch/stores/postgres/driver/driver-records.ts';
import { databaseWithShard } from '../../../../support/batch/database-with-shard.ts';
import {
  acceptItem,
  completeItem,
  openSharedDriver,
  type SharedDriver,
} from '../../../../support/batch/shared-driver.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';

/** Passes the time of a renewal, in which the counts of the store are read. */
async function renew({ books, advance }: SharedDriver): Promise<void> {
  advance(20_000);
  await new Promise(setImmediate);
  await books.idle();
}

const sendAndRefuse = async (books: SharedBooks, item: number): Promise<void> => {
  await books.record(item, { kind: 'send' });
  await books.saveResult({ item }, { status: 'REFUSED' }, { kind: 'refuse' });
};

describeWithPostgres('the counts that a driver shows', () => {
  const cluster = useCluster();

  test('have refused items once, also after they were read from the store', async () => {
    const driver = openSharedDriver(await databaseWithShard(cluster()));
    await driver.books.claim();
    await sendAndRefuse(driver.books, 1);
    await driver.books.idle();
    await renew(driver);
    expect(driver.books.states.counts()).toMatchObject({ failed: 1, inFlight: 0, waiting: 4 });
    await driver.books.close();
  });

  test('have results that are being written', async () => {
    let finishWrite = (): void => undefined;
    const written = new Promise<void>((resolve) => (finishWrite = resolve));
    const driver = openSharedDriver(await databaseWithShard(cluster()), { write: () => written });
    const { books } = driver;
    await books.claim();
    for (const item of [1, 2, 3, 4]) await acceptItem(books, item);
    await sendAndRefuse(books, 5);
    for (const item of [1, 2, 3, 4]) await completeItem(books, item);
    await renew(driver);
    expect(books.states.counts()).toMatchObject({ completed: 4, failed: 1, inFlight: 0, waiting: 0 });
    finishWrite();
    await books.close();
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
    const { books } = driver;
    await books.claim();
    const recorded: Promise<void>[] = [];
    meanwhile = () => {
      recorded.push(books.record(1, { kind: 'send' }), books.record(2, { kind: 'send' }));
      recorded.push(books.record(2, { kind: 'lose' }));
    };
    await renew(driver);
    await Promise.all(recorded);
    expect(books.states.counts()).toMatchObject({ inFlight: 1, unknown: 1, waiting: 3 });
    await books.record(1, { kind: 'accept', job: 'job-1' }, { at: 1 });
    await completeItem(books, 1);
    expect(books.states.counts()).toMatchObject({ completed: 1, inFlight: 0, unknown: 1, waiting: 3 });
    await books.close();
  });
});

import { expect, test } from 'vitest';
import { databaseWithShard } from '../../../../../support/batch/database-with-shard.ts';
import { acceptItem, completeItem, openSharedDriver } from '../../../../../support/batch/shared-driver.ts';
import { describeWithPostgres, useCluster } from '../../../../../support/postgres/postgres.ts';

const SHARDS = 8;
/** The first item of each shard. */
const FIRST_ITEMS = Array.from({ length: SHARDS }, (_, shard) => 5 * shard + 1);
const MEGABYTE = 1024 * 1024;

describeWithPostgres('a driver with many results that are not published', () => {
  const cluster = useCluster();

  /** A driver that holds all shards, each with one job. */
  async function driverWith(write: () => Promise<void>) {
    const database = await databaseWithShard(cluster(), SHARDS);
    const { records } = openSharedDriver(database, { write, items: 5 * SHARDS });
    for (const _ of FIRST_ITEMS) await records.claim();
    for (const item of FIRST_ITEMS) await acceptItem(records, item);
    return { database, records };
  }

  test('publishes some of them before they are old, so that it can accept more', async () => {
    const { database, records } = await driverWith(() => Promise.resolve());
    const output = 'x'.repeat(15 * MEGABYTE);
    // Its clock stands still: no time of waiting is over.
    for (const item of FIRST_ITEMS) await completeItem(records, item, output);
    expect(await database.query('SELECT count(*) >= 1 AS some FROM berth.parts')).toEqual([{ some: true }]);
    await records.close();
  });

  test('accepts no more while too many are being written', async () => {
    let finishWrite = (): void => undefined;
    const written = new Promise<void>((resolve) => (finishWrite = resolve));
    const { records } = await driverWith(() => written);
    const output = 'x'.repeat(17 * MEGABYTE);
    const saved: number[] = [];
    const saving = FIRST_ITEMS.map(async (item) => {
      await completeItem(records, item, output);
      saved.push(item);
    });
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    // 96 MiB, and the result that made them more.
    expect(saved).toEqual(FIRST_ITEMS.slice(0, 6));
    finishWrite();
    await Promise.all(saving);
    await records.close();
  });
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { databaseWithShard } from '../../../../../support/batch/database-with-shard.ts';
import { acceptItem, completeItem, openSharedDriver } from '../../../../../support/batch/shared-driver.ts';
import { findPostgres } from '../../../../../support/postgres/cluster.mjs';
import { describeWithPostgres, useCluster } from '../../../../../support/postgres/postgres.ts';

describeWithPostgres('a driver whose database has lost what it had confirmed', () => {
  const cluster = useCluster();

  test.each([
    ['its latest records', 'DELETE FROM berth.records WHERE number = (SELECT max(number) FROM berth.records)'],
    ['its claim', 'DELETE FROM berth.records; UPDATE berth.shards SET epoch = 0, owner = NULL, lease_until = NULL'],
    ['its claim, and another driver has claimed the shard', "UPDATE berth.shards SET owner = 'b'"],
    ['the batch', 'DELETE FROM berth.batches'],
  ])('stops and names the items in doubt: %s', async (_, loss) => {
    const database = await databaseWithShard(cluster());
    const { records, failures, advance } = openSharedDriver(database);
    await records.claim();
    for (const item of [1, 2, 4]) await acceptItem(records, item);
    for (const statement of loss.split('; ')) await database.query(statement);
    advance(20_000);
    await expect.poll(() => failures.length).toBe(1);
    expect(failures[0]).toMatchObject({ exit: 14, message: expect.stringContaining('sent again: 1-2, 4') as unknown });
  });

  const hasBackups = existsSync(join(findPostgres()?.folder ?? '', 'pg_basebackup'));
  test.skipIf(!hasBackups)(
    'stops after a base backup, which is older, was restored (needs pg_basebackup)',
    async () => {
      const database = await databaseWithShard(cluster());
      const { records, failures, advance } = openSharedDriver(database);
      await records.claim();
      await acceptItem(records, 1);
      const restore = await cluster().baseBackup();
      for (const item of [2, 4]) await acceptItem(records, item);
      await restore();
      advance(20_000);
      await expect.poll(() => failures.length).toBe(1);
      expect(failures[0]).toMatchObject({
        exit: 14,
        message: expect.stringMatching(/sent again: (1-2|2), 4/) as unknown,
      });
    },
  );

  test('does not stop when another driver has taken the shard over, or when it publishes', async () => {
    const database = await databaseWithShard(cluster(), 2);
    const { records, failures, advance } = openSharedDriver(database, { items: 10 });
    await records.claim();
    await records.claim();
    for (const item of [1, 6]) await acceptItem(records, item);
    await completeItem(records, 6, 'x'.repeat(17 * 1024 * 1024));
    await expect.poll(() => database.query('SELECT 1 FROM berth.parts')).toHaveLength(1);
    await database.query("UPDATE berth.shards SET epoch = epoch + 1, owner = 'b' WHERE shard = 0");
    advance(20_000);
    const renewed = () => database.query('SELECT 1 FROM berth.shards WHERE lease_until > now() AND shard = 1');
    await expect.poll(renewed).toHaveLength(1);
    await records.close();
    expect(failures).toEqual([]);
  });
});

import { expect, test } from 'vitest';
import { databaseWithShard } from '../../../../../support/batch/database-with-shard.ts';
import { openSharedDriver } from '../../../../../support/batch/shared-driver.ts';
import { describeWithPostgres, useCluster } from '../../../../../support/postgres/postgres.ts';

describeWithPostgres('a driver whose storage waits for credentials', () => {
  const cluster = useCluster();

  test('sends no more jobs than it can store: none until the storage has them', async () => {
    let isWaiting = false;
    const { records } = openSharedDriver(await databaseWithShard(cluster()), { isWaiting: () => isWaiting });
    await records.claim();
    const sends: boolean[] = [];
    for (isWaiting of [false, true, false]) sends.push(records.maySend());
    expect(sends).toEqual([true, false, true]);
    await records.close();
  });
});

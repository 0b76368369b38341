import { expect, test } from 'vitest';
import {
  appendRecords,
  claimShard,
  releaseShards,
  renewLeases,
} from '../../../../../src/batch/stores/postgres/rows/shard-rows.ts';
import { databaseWithShard } from '../../../../support/batch/database-with-shard.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';

const A = { batch: 1, owner: 'a', leaseMs: 60_000 };
const B = { batch: 1, owner: 'b', leaseMs: 60_000 };

describeWithPostgres('a shard with the same epoch and another owner', () => {
  const cluster = useCluster();

  test('is not written, renewed or released by a driver that lost it', async () => {
    const database = await databaseWithShard(cluster());
    const claimed = await claimShard(database, B, []);
    expect(claimed).toMatchObject({ shard: 0, epoch: 1 });
    const held = [{ shard: 0, epoch: 1 }];
    const group = {
      ...held[0],
      number: 1,
      changes: { waiting: -1, sending: 1, submitted: 0, unknown: 0 },
      events: [],
    } as unknown as Parameters<typeof appendRecords>[2][number];
    expect(await renewLeases(database, A, held)).toEqual([]);
    expect(await appendRecords(database, A, [group])).toEqual([]);
    await releaseShards(database, A, held);
    expect(await database.query('SELECT owner, lease_until > now() AS leased FROM berth.shards', [])).toEqual([
      { owner: 'b', leased: true },
    ]);
    expect(await renewLeases(database, B, held)).toEqual([0]);
    expect(await appendRecords(database, B, [group])).toEqual([0]);
  });
});

describeWithPostgres('a shard whose lease has ended', () => {
  const cluster = useCluster();

  test('is not claimed again by the driver that still holds it, which can renew it', async () => {
    const database = await databaseWithShard(cluster());
    const late = { ...A, leaseMs: 0 };
    expect(await claimShard(database, late, [])).toMatchObject({ shard: 0, epoch: 1 });
    expect(await claimShard(database, late, [0])).toBeUndefined();
    expect(await renewLeases(database, late, [{ shard: 0, epoch: 1 }])).toEqual([0]);
    expect(await claimShard(database, B, [])).toMatchObject({ shard: 0, epoch: 2 });
    expect(await renewLeases(database, late, [{ shard: 0, epoch: 1 }])).toEqual([]);
  });
});

import { expect, test } from 'vitest';
import { claimShard, publishPart, type Driver } from '../../../../../src/batch/stores/postgres/rows/shard-rows.ts';
import { databaseWithShard } from '../../../../support/batch/database-with-shard.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';

const driver = (owner: string): Driver => ({ batch: 1, owner, leaseMs: 60_000 });
const NO_CHANGES = { waiting: 0, sending: 0, submitted: 0, unknown: 0 };

describeWithPostgres('a part', () => {
  const cluster = useCluster();

  test('is published by the owner of its shard only, although the epoch is the same', async () => {
    const database = await databaseWithShard(cluster());
    await claimShard(database, driver('mine'), []);
    const counts = { completed: 1, failed: 0, cancelled: 0, timedOut: 0, expired: 0 };
    const publication = {
      draft: { epoch: 1, lines: ['{}\n'], counts, unknown: [], items: [1], ends: [] },
      nextEpoch: 2,
      snapshot: { epoch: 2, number: 0, changes: NO_CHANGES, events: [] },
      ended: Uint8Array.of(1),
      done: false,
    } as unknown as Parameters<typeof publishPart>[3];
    const part = { name: 'part-000000-0001.jsonl', bytes: 3, sha256: '' };
    const publish = (owner: string) => publishPart(database, driver(owner), 0, publication, part);
    const shown = () => database.query('SELECT epoch, completed FROM berth.shards');
    expect(await publish('another')).toBe(false);
    expect(await shown()).toEqual([{ epoch: 1, completed: 0 }]);
    expect(await publish('mine')).toBe(true);
    expect(await shown()).toEqual([{ epoch: 2, completed: 1 }]);
  });
});

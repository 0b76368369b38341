import { expect, test } from 'vitest';
import { parseStoreAddress } from '../../../../../src/batch/store/postgres/address.ts';
import { openDatabase } from '../../../../../src/batch/store/postgres/database.ts';
import { migrate } from '../../../../../src/batch/store/postgres/migrations.ts';
import { claimShard, publishPart, type Driver } from '../../../../../src/batch/store/postgres/shard-rows.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';

const driver = (owner: string): Driver => ({ batch: 1, owner, leaseMs: 60_000 });
const NO_CHANGES = { waiting: 0, sending: 0, submitted: 0, unknown: 0 };

describeWithPostgres('a part', () => {
  const cluster = useCluster();

  test('is published by the owner of its shard only, although the epoch is the same', async () => {
    const { address, password = '' } = parseStoreAddress(cluster().url(await cluster().createDatabase()), {});
    const database = await openDatabase({ address, password: () => Promise.resolve(password) });
    try {
      await migrate(database);
      await database.query(
        "INSERT INTO berth.batches (name, manifest, planned, invalid, shards) VALUES ('b', '{}', 5, 0, 1)",
      );
      await database.query(
        "INSERT INTO berth.shards (batch, shard, source, range, first_item, items, invalid) VALUES (1, 0, 0, '{}', 1, 5, 0)",
      );
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
    } finally {
      await database.close();
    }
  });
});

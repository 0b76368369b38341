import { onTestFinished } from 'vitest';
import { parseStoreAddress } from '../../../src/batch/stores/postgres/database/store-address.ts';
import { openDatabase, type Database } from '../../../src/batch/stores/postgres/database/database.ts';
import { prepareTables } from '../../../src/batch/stores/postgres/migrations.ts';
import type { Cluster } from '../postgres/cluster.mjs';

const RANGE = { start: 0, end: 0, firstItem: 1, items: 5, invalid: 0, firstLine: 1, digest: '' };

/** A new database with one batch of some shards of five items. It is closed when the test is over. */
export async function databaseWithShard(cluster: Cluster, shards = 1): Promise<Database> {
  const { address, password = '' } = parseStoreAddress(cluster.url(await cluster.createDatabase()), {});
  const database = await openDatabase({ address, password: () => Promise.resolve(password) });
  onTestFinished(() => database.close());
  await prepareTables(database, 'create');
  await database.query(
    "INSERT INTO berth.batches (name, manifest, planned, invalid, shards) VALUES ('b', '{}', 5 * $1, 0, $1)",
    [shards],
  );
  await database.query(
    `INSERT INTO berth.shards (batch, shard, source, range, first_item, items, invalid)
    SELECT 1, shard, 0, '${JSON.stringify(RANGE)}', 5 * shard + 1, 5, 0 FROM generate_series(0, $1 - 1) AS shard`,
    [shards],
  );
  return database;
}

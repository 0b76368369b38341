import { expect, onTestFinished, test } from 'vitest';
import { parseStoreAddress } from '../../../../../src/batch/store/postgres/address.ts';
import { createBatchRows, findBatch, readAccount } from '../../../../../src/batch/store/postgres/batch-rows.ts';
import { openDatabase, type Database } from '../../../../../src/batch/store/postgres/database.ts';
import { listParts } from '../../../../../src/batch/store/postgres/listing.ts';
import { migrate, MIGRATION_STEPS } from '../../../../../src/batch/store/postgres/migrations.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';

const MANIFEST = {
  version: 1,
  endpoint: 'echo',
  endpointId: 'echo',
  service: 'http://127.0.0.1:1',
  input: 'in.jsonl',
  sources: [{ address: '/in.jsonl', bytes: 10, version: '1' }],
  format: { format: 'jsonl' },
  extras: '',
  out: '/parts',
  compression: 'none',
} as const;
const SHARDS = [0, 1].map((at) => ({ source: 0, firstItem: 1 + 5 * at, items: 5, invalid: at, range: {} }));

describeWithPostgres('the tables of shared batches', () => {
  const cluster = useCluster();

  async function open(name: string): Promise<Database> {
    const { address, password = '' } = parseStoreAddress(cluster().url(name), {});
    const database = await openDatabase({ address, password: async () => password });
    onTestFinished(() => database.close());
    return database;
  }
  const versionsIn = (name: string): Promise<string> => cluster().query('SELECT * FROM berth.schema_version', name);
  const tablesIn = (name: string): Promise<string> =>
    cluster().query(
      `SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'berth' ORDER BY 1, 2`,
      name,
    );
  const latest = String(MIGRATION_STEPS.length);

  test.each(MIGRATION_STEPS.map((_, at) => at))('of version %i are migrated, and their rows stay', async (version) => {
    const [name, fresh] = [await cluster().createDatabase(), await cluster().createDatabase()];
    const database = await open(name);
    if (version > 0) {
      await migrate(database, MIGRATION_STEPS.slice(0, version));
      expect(await versionsIn(name)).toBe(String(version));
      await createBatchRows(database, 'nightly', MANIFEST, SHARDS);
      const part = `SELECT batch, 0, 1, 'part-000000-0001.jsonl', 10, '', 1 FROM berth.batches`;
      await cluster().query(`INSERT INTO berth.parts (batch, shard, epoch, name, bytes, sha256, items) ${part}`, name);
    }
    await migrate(database);
    await migrate(await open(fresh));
    expect(await versionsIn(name)).toBe(latest);
    expect(await tablesIn(name)).toBe(await tablesIn(fresh));
    if (version === 0) return;
    const found = await findBatch(database, 'nightly');
    expect(found).toMatchObject({ planned: 9, invalid: 1, shards: 2, manifest: MANIFEST });
    expect(await listParts(database, found.batch, 0, 2)).toMatchObject([{ name: 'part-000000-0001.jsonl', ends: [] }]);
    expect(await readAccount(database, found.batch)).toMatchObject({ planned: 9, waiting: 9, holds: true });
  });

  test.each(MIGRATION_STEPS.map((_, at) => at))(
    'of version %i are migrated once by several drivers at the same time',
    async (version) => {
      const name = await cluster().createDatabase();
      if (version > 0) await migrate(await open(name), MIGRATION_STEPS.slice(0, version));
      const drivers = await Promise.all(Array.from({ length: 8 }, () => open(name)));
      await Promise.all(drivers.map((driver) => driver.query('SELECT 1')));
      await Promise.all(drivers.map((driver) => migrate(driver)));
      expect(await versionsIn(name)).toBe(latest);
    },
  );

  test('of a newer version are refused and not changed', async () => {
    const name = await cluster().createDatabase();
    const [old, current] = [await open(name), await open(name)];
    await migrate(current, [...MIGRATION_STEPS, 'CREATE TABLE berth.later (n int)']);
    const before = await tablesIn(name);
    await expect(migrate(old)).rejects.toMatchObject({ code: 'store-newer', exit: 14 });
    expect([await tablesIn(name), await versionsIn(name)]).toEqual([before, String(MIGRATION_STEPS.length + 1)]);
  });

  test('are unchanged after a step that fails', async () => {
    const name = await cluster().createDatabase();
    const database = await open(name);
    await migrate(database);
    const before = await tablesIn(name);
    const steps = [...MIGRATION_STEPS, 'CREATE TABLE berth.later (n int)', 'SELECT 1 / 0'];
    await expect(migrate(database, steps)).rejects.toThrow('division by zero');
    expect([await tablesIn(name), await versionsIn(name)]).toEqual([before, latest]);
  });
});

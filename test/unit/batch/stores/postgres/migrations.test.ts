import { expect, onTestFinished, test } from 'vitest';
import { parseStoreAddress } from '../../../../../src/batch/stores/postgres/database/store-address.ts';
import { createBatchRows, findBatch, readAccount } from '../../../../../src/batch/stores/postgres/rows/batch-rows.ts';
import { openDatabase, type Database } from '../../../../../src/batch/stores/postgres/database/database.ts';
import { isMarked } from '../../../../../src/batch/stores/postgres/rows/out-rows.ts';
import { listParts } from '../../../../../src/batch/stores/postgres/rows/listing.ts';
import { MIGRATION_STEPS, prepareTables } from '../../../../../src/batch/stores/postgres/migrations.ts';
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
const SHARDS = [0, 1].map((at) => ({
  source: 0,
  range: { start: 0, end: 0, firstItem: 1 + 5 * at, items: 5, invalid: at, firstLine: 1, digest: '' },
}));

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
      await prepareTables(database, 'create', MIGRATION_STEPS.slice(0, version));
      expect(await versionsIn(name)).toBe(String(version));
      await insertBatch(name, 'nightly');
      await insertBatch(name, 'second');
      const part = `SELECT batch, 0, 1, 'part-000000-0001.jsonl', 10, '', 1 FROM berth.batches WHERE name = 'nightly'`;
      await cluster().query(`INSERT INTO berth.parts (batch, shard, epoch, name, bytes, sha256, items) ${part}`, name);
    }
    if (version > 0) await expectBatch(database);
    await prepareTables(database, version === 0 ? 'create' : 'migrate');
    await prepareTables(await open(fresh), 'create');
    expect(await versionsIn(name)).toBe(latest);
    expect(await tablesIn(name)).toBe(await tablesIn(fresh));
    if (version === 0) return;
    await expectBatch(database);
    // Of two batches in one folder, the first owns it.
    const [first, second] = [await findBatch(database, 'nightly'), await findBatch(database, 'second')];
    expect([await isMarked(database, first.batch), await isMarked(database, second.batch)]).toEqual([false, undefined]);
    expect(new Set([first.token, second.token]).size).toBe(2);
    await expect(createBatchRows(database, 'third', { ...MANIFEST, out: '/parts//' }, SHARDS)).rejects.toMatchObject({
      exit: 14,
      message: expect.stringContaining('batch nightly') as string,
    });
  });

  /** A batch can be read from tables of any version. */
  async function expectBatch(database: Database): Promise<void> {
    const found = await findBatch(database, 'nightly');
    expect(found).toMatchObject({ invalid: 1, shards: 2, manifest: MANIFEST });
    expect(await listParts(database, found.batch, [0, 2])).toMatchObject([
      { name: 'part-000000-0001.jsonl', ends: [] },
    ]);
    expect(await readAccount(database, found.batch)).toMatchObject({ planned: 9, waiting: 9, holds: true });
  }

  /** Inserts a batch as a version of berth did that knew no owners of folders. */
  async function insertBatch(database: string, name: string): Promise<void> {
    const values = `'${name}', '${JSON.stringify(MANIFEST)}', 9, 1, 2`;
    const batches = `INSERT INTO berth.batches (name, manifest, planned, invalid, shards) VALUES (${values})`;
    const shards = `INSERT INTO berth.shards (batch, shard, source, first_item, items, invalid, range)
      SELECT batch, at, 0, 1 + 5 * at, 5, at, '{}' FROM berth.batches, generate_series(0, 1) AS at WHERE name = '${name}'`;
    await cluster().query(`${batches}; ${shards}`, database);
  }

  test.each(MIGRATION_STEPS.map((_, at) => at))(
    'of version %i stay as they are for a command that reads',
    async (version) => {
      const name = await cluster().createDatabase();
      const database = await open(name);
      if (version > 0) await prepareTables(database, 'create', MIGRATION_STEPS.slice(0, version));
      const before = await tablesIn(name);
      const read = prepareTables(database, 'read');
      await (version === 0 ? expect(read).rejects.toMatchObject({ exit: 4 }) : read);
      expect(await tablesIn(name)).toBe(before);
      if (version === 0) await expect(prepareTables(database, 'migrate')).rejects.toMatchObject({ exit: 4 });
    },
  );

  test.each(MIGRATION_STEPS.map((_, at) => at))(
    'of version %i are migrated once by several drivers at the same time',
    async (version) => {
      const name = await cluster().createDatabase();
      if (version > 0) await prepareTables(await open(name), 'create', MIGRATION_STEPS.slice(0, version));
      const drivers = await Promise.all(Array.from({ length: 8 }, () => open(name)));
      await Promise.all(drivers.map((driver) => driver.query('SELECT 1')));
      await Promise.all(
        drivers.map((driver, at) => prepareTables(driver, at % 2 === 0 || version === 0 ? 'create' : 'migrate')),
      );
      expect(await versionsIn(name)).toBe(latest);
    },
  );

  test('of a newer version are refused and not changed', async () => {
    const name = await cluster().createDatabase();
    const [old, current] = [await open(name), await open(name)];
    await prepareTables(current, 'create', [...MIGRATION_STEPS, 'CREATE TABLE berth.later (n int)']);
    const before = await tablesIn(name);
    await expect(prepareTables(old, 'create')).rejects.toMatchObject({ code: 'store-newer', exit: 14 });
    expect([await tablesIn(name), await versionsIn(name)]).toEqual([before, String(MIGRATION_STEPS.length + 1)]);
  });

  test('are unchanged after a step that fails', async () => {
    const name = await cluster().createDatabase();
    const database = await open(name);
    await prepareTables(database, 'create');
    const before = await tablesIn(name);
    const steps = [...MIGRATION_STEPS, 'CREATE TABLE berth.later (n int)', 'SELECT 1 / 0'];
    await expect(prepareTables(database, 'create', steps)).rejects.toThrow('division by zero');
    expect([await tablesIn(name), await versionsIn(name)]).toEqual([before, latest]);
  });
});

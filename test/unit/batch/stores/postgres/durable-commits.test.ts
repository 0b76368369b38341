import { expect, onTestFinished, test } from 'vitest';
import { parseStoreAddress } from '../../../../../src/batch/stores/postgres/database/store-address.ts';
import { openDatabase } from '../../../../../src/batch/stores/postgres/database/database.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';

describeWithPostgres('a database that confirms transactions before they are on disk', () => {
  // What the server has not written when it is killed is lost, as after the end of a machine.
  const cluster = useCluster({ settings: { synchronous_commit: 'off', wal_writer_delay: '10s' } });

  test('loses none of a store when it is killed', async () => {
    const { address, password = '' } = parseStoreAddress(cluster().url(await cluster().createDatabase()), {});
    const database = await openDatabase({ address, password: () => Promise.resolve(password) });
    onTestFinished(() => database.close());
    const lost: number[] = [];
    await database.query('CREATE TABLE t (n int)');
    for (let n = 1; n <= 5; n++) {
      await database.query('INSERT INTO t VALUES ($1)', [n]);
      await database.transaction(async (queries) => {
        await queries.query('INSERT INTO t VALUES ($1)', [-n]);
      });
      await cluster().kill();
      await cluster().start();
      const rows = await database.query<{ n: number }>('SELECT n FROM t WHERE abs(n) = $1', [n]);
      if (rows.length !== 2) lost.push(n);
    }
    expect(lost).toEqual([]);
  });

  test('keeps a stronger setting of the server', async () => {
    const name = await cluster().createDatabase();
    await cluster().query(`ALTER DATABASE ${name} SET synchronous_commit = remote_apply`);
    const { address, password = '' } = parseStoreAddress(cluster().url(name), {});
    const database = await openDatabase({ address, password: () => Promise.resolve(password) });
    onTestFinished(() => database.close());
    expect(await database.query('SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'remote_apply' }]);
  });
});

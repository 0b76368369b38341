import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres, useCluster } from '../../support/postgres/postgres.ts';

const MODULE = join(import.meta.dirname, '../../support/postgres/cluster.mjs');

describeWithPostgres('a cluster of the tests', () => {
  const cluster = useCluster();

  test('keeps its rows after a restart and after SIGKILL', async () => {
    const { query, createDatabase, kill, restart, start } = cluster();
    const database = await createDatabase();
    await query('CREATE TABLE numbers AS SELECT generate_series(1, 1000) AS number', database);
    await restart();
    await query('INSERT INTO numbers VALUES (1001)', database);
    await kill();
    await expect(query('SELECT 1')).rejects.toThrow();
    await start();
    expect(await query('SELECT count(*), max(number) FROM numbers', database)).toBe('1001|1001');
  });

  test('is removed when the process that started it is killed', async () => {
    const script = `const { createCluster } = await import(${JSON.stringify(MODULE)});
      const { folder, port } = await createCluster();
      console.log(JSON.stringify({ folder, port }));
      process.kill(process.pid, 'SIGKILL');`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    const { folder, port } = JSON.parse(stdout) as { folder: string; port: number };
    onTestFinished(() => {
      // Its user may not remove the folder itself where the folder above belongs to another user.
      rmSync(folder, { recursive: true, force: true });
    });
    await expect.poll(() => existsSync(join(folder, 'data'))).toBe(false);
    expect(await new Promise((resolve) => connect(port, '127.0.0.1').on('error', resolve))).toMatchObject({
      code: 'ECONNREFUSED',
    });
  });
});

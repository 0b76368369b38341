import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createBatchWorld, items, OUT, RUN, write } from '../../../../support/batch/command-fixture.ts';
import { createStoreWorld } from '../../../../support/batch/store-world.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';

const RUN_NIGHTLY = ['run', 'echo', '--input', 'in.jsonl', '--name', 'nightly', '--out'];

describeWithPostgres('a command that is printed about a batch', () => {
  const cluster = useCluster();

  /** A world without BERTH_STORE, in which the batch `nightly` has ended. `where` are the flags of its store. */
  async function givenByFlags() {
    const { world: stored, url, database } = await createStoreWorld(cluster());
    const { BERTH_STORE: _, ...env } = stored.env;
    const world = { ...stored, env: { ...env, PGPASSWORD: new URL(url).password } };
    const { host } = new URL(url);
    const where = ['--store', `postgres://postgres@${host}/${database}`, '--s3-endpoint', 'http://127.0.0.1:9'];
    write(world, 'in.jsonl', items(3));
    const batch = (...words: readonly string[]): Promise<Ran> =>
      berthIn({ ...world }, ['jobs', 'batch', ...words, ...where]);
    expect((await batch(...RUN_NIGHTLY, 'parts')).code).toBe(0);
    return { world, batch, where: where.join(' '), database };
  }

  test('has the flags of the store and of the storage: of a name that is in use', async () => {
    const { world, batch, where } = await givenByFlags();
    const ran = await batch(...RUN_NIGHTLY, 'others');
    expect(ran).toMatchObject({
      code: 2,
      err: expect.stringContaining(`berth jobs batch work nightly ${where}`) as string,
    });
    expect((await berthIn({ ...world }, ['jobs', 'batch', 'work', 'nightly', ...where.split(' ')])).code).toBe(0);
  });

  test('has the flags of the store and of the storage: of a batch that a driver works on', async () => {
    const { batch, where, database } = await givenByFlags();
    await cluster().query(
      `UPDATE berth.shards SET done = false, completed = 0, ended = '', owner = 'x', lease_until = now() + interval '1 hour'`,
      database,
    );
    const ran = await batch('remove', 'nightly', '--yes');
    expect(ran.err).toContain('1 driver works on the batch nightly');
    expect(ran).toMatchObject({
      code: 2,
      err: expect.stringContaining(`berth jobs batch cancel nightly ${where}`) as string,
    });
  });

  test('names the results, and --store file where it was given: of results that were changed', async () => {
    const world = await createBatchWorld();
    write(world, 'in.jsonl', items(3));
    const env = { ...world.env, BERTH_STORE: cluster().url() };
    const batch = (...words: readonly string[]): Promise<Ran> =>
      berthIn({ ...world, env }, ['jobs', 'batch', ...words, '--store', 'file']);
    expect((await berthIn({ ...world }, RUN)).code).toBe(0);
    rmSync(join(world.directory, OUT));
    const ran = await batch('export', OUT);
    expect(ran).toMatchObject({
      code: 14,
      err: expect.stringMatching(/berth jobs batch status \S*out\.jsonl --store file/) as string,
    });
    expect((await batch('status', OUT)).code).toBe(0);
  });

  test('is none where no batch can be named', async () => {
    const database = await cluster().createDatabase();
    const world = await createBatchWorld();
    const env = { ...world.env, BERTH_STORE: cluster().url(database) };
    const ran = await berthIn({ ...world, env }, ['jobs', 'batch', 'status', 'nightly']);
    expect([ran.code, ran.err]).toEqual([4, expect.stringContaining('The first batch that is begun')]);
    expect(ran.err).not.toContain('berth jobs batch run');
    const ordered = await berthIn({ ...world, env }, [...RUN, '--ordered']);
    expect([ordered.code, ordered.err]).toEqual([2, expect.stringContaining('batch export --ordered')]);
    expect(ordered.err).not.toContain('berth jobs batch export N');
  });
});

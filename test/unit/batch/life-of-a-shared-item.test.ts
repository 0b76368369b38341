import { join } from 'node:path';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createRealClock } from '../../support/clocks/real-clock.ts';
import { items, write } from '../../support/batch/command-fixture.ts';
import { createCountingService } from '../../support/batch/counting-service.ts';
import { batchIn } from '../../support/batch/store-world.ts';
import { describeWithPostgres, useCluster } from '../../support/postgres/postgres.ts';
import { berthIn } from '../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../support/worlds/test-world.ts';

describeWithPostgres('an item of a batch in a database', () => {
  const cluster = useCluster();

  test('passes the stations in their order: each is in the database before the next begins', async () => {
    const database = await cluster().createDatabase();
    const { service, env } = await createCountingService();
    const world = createTestWorld({
      clock: createRealClock(10),
      env: { ...env, BERTH_STORE: cluster().url(database) },
    });
    write(world, 'in.jsonl', items(1));
    const seen: unknown[] = [];
    service.onRequest = async () => {
      const kinds = await cluster().query(
        `SELECT string_agg(event ->> 0, ' ' ORDER BY number) FROM berth.records, json_array_elements(events) AS event`,
        database,
      );
      seen.push({ records: kinds.trim(), parts: readdirSync(join(world.directory, 'parts')).filter(isPart).length });
    };
    const ran = await batchIn(world, ...['run', 'echo', '--input', 'in.jsonl', '--out', 'parts', '--name', 'nightly']);
    expect(ran.code, ran.err).toBe(0);
    // About to be sent, then sent; recorded as a job, then polled.
    expect(seen).toEqual([
      { records: 'i', parts: 0 },
      { records: 'i s', parts: 0 },
    ]);
    // Published with its counts; what was written of it before is not needed any more.
    const shard = await cluster().query('SELECT done, completed FROM berth.shards', database);
    expect(shard.trim()).toBe('t|1');
    expect(readdirSync(join(world.directory, 'parts')).filter(isPart)).toHaveLength(1);
    const exported = await berthIn({ ...world }, ['jobs', 'batch', 'export', 'nightly', '--format', 'jsonl']);
    expect(JSON.parse(exported.out)).toMatchObject({ item: 1, output: { endpoint: 'echo', n: 1 } });
  });
});

const isPart = (name: string): boolean => name.startsWith('part-');

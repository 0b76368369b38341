import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { items, write } from '../../../../support/batch/command-fixture.ts';
import { batchIn, createStoreWorld } from '../../../../support/batch/store-world.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';
import type { Ran } from '../../../../support/worlds/run-berth.ts';
import type { TestWorld } from '../../../../support/worlds/test-world.ts';

describeWithPostgres('a shared batch', () => {
  const cluster = useCluster();

  const storeWorld = () => createStoreWorld(cluster());
  const runOf = (world: TestWorld, count: number): Promise<Ran> => {
    write(world, 'in.jsonl', items(count));
    return batchIn(
      world,
      'run',
      'echo',
      '--input',
      'in.jsonl',
      '--out',
      'parts',
      '--name',
      'nightly',
      '--shard-items',
      '10',
    );
  };

  test('runs to its end, and its counts, parts and export have each item once', async () => {
    const { world, url } = await storeWorld();
    const ran = await runOf(world, 25);
    expect({ code: ran.code, err: ran.code === 0 ? '' : ran.err }).toEqual({ code: 0, err: '' });
    expect(ran.out + ran.err).not.toContain(new URL(url).password);
    expect(readdirSync(join(world.directory, 'parts')).sort()).toEqual([
      'berth-batch.json',
      expect.stringMatching(/^part-[0-9a-f]{12}-000000-0001\.jsonl$/),
      expect.stringMatching(/^part-[0-9a-f]{12}-000001-0001\.jsonl$/),
      expect.stringMatching(/^part-[0-9a-f]{12}-000002-0001\.jsonl$/),
    ]);
    const status = await batchIn(world, 'status', 'nightly');
    expect(JSON.parse(status.out)).toMatchObject({ completed: 25, holds: true, state: 'ended' });
    const report = JSON.parse((await batchIn(world, 'report', 'nightly')).out) as {
      readonly timeline: { readonly buckets: readonly { readonly completed: number; readonly notCompleted: number }[] };
    };
    const { buckets } = report.timeline;
    expect([
      buckets.reduce((sum, { completed }) => sum + completed, 0),
      buckets.reduce((sum, { notCompleted }) => sum + notCompleted, 0),
    ]).toEqual([25, 0]);
    const exported = await batchIn(world, 'export', 'nightly', '--ordered', '--format', 'jsonl', '--out', 'all.jsonl');
    expect(exported.code).toBe(0);
    const lines = readFileSync(join(world.directory, 'all.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { item: number }).item)).toEqual(
      Array.from({ length: 25 }, (_, at) => at + 1),
    );
  });

  test('does not use a part that was changed after it was published', async () => {
    const { world } = await storeWorld();
    expect((await runOf(world, 5)).code).toBe(0);
    const [name = ''] = readdirSync(join(world.directory, 'parts')).filter((each) => each.startsWith('part-'));
    const part = join(world.directory, 'parts', name);
    writeFileSync(part, readFileSync(part, 'utf8').replace('"output":', '"output":[1,2],"was":'));
    const ran = await batchIn(world, 'export', 'nightly', '--format', 'jsonl', '--out', 'all.jsonl');
    expect(ran.code).toBe(14);
    expect(ran.err).toContain(`${name} is not what was published`);
    expect(existsSync(join(world.directory, 'all.jsonl'))).toBe(false);
  });

  test('refuses tables of a newer version and changes nothing', async () => {
    const { world, database } = await storeWorld();
    expect((await runOf(world, 1)).code).toBe(0);
    await cluster().query('UPDATE berth.schema_version SET version = 999', database);
    const ran = await batchIn(world, 'status', 'nightly');
    expect(ran.code).toBe(14);
    expect(ran.err).toContain('version 999');
  });

  test('refuses a password on the command line and does not repeat it', async () => {
    const { world } = await storeWorld();
    const ran = await batchIn(world, 'status', 'nightly', '--store', 'postgres://berth:hush-hush@127.0.0.1/berth');
    expect(ran.code).toBe(2);
    expect(ran.err).toContain('BERTH_STORE');
    expect(ran.out + ran.err).not.toContain('hush-hush');
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createBatchWorld, items, write } from '../../../../support/batch/command-fixture.ts';
import { batchIn, createStoreWorld } from '../../../../support/batch/store-world.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';

const broken = (batch: string) => ({
  batch,
  state: 'broken',
  error: { code: 'local-file', message: expect.any(String) as string },
});
const rowsOf = ({ out }: Ran): unknown => JSON.parse(out);

test('a list of a folder shows a broken journal and a foreign file as such, and the batches beside them', async () => {
  const world = await createBatchWorld();
  write(world, 'in.jsonl', items(2));
  for (const out of ['b.jsonl', 'd.jsonl'])
    expect((await batchIn(world, 'run', 'echo', '--input', 'in.jsonl', '--out', out)).code).toBe(0);
  write(world, 'a.jsonl.journal', 'a diary\n');
  write(world, 'c.jsonl.journal', '');
  writeFileSync(join(world.directory, 'e.journal'), Buffer.alloc(4096, 0xff));
  mkdirSync(join(world.directory, 'f.journal'));
  const listed = await batchIn(world, 'list');
  expect(rowsOf(listed)).toMatchObject([
    broken('a.jsonl'),
    { completed: 2, state: 'ended' },
    broken('c.jsonl'),
    { completed: 2, state: 'ended' },
    broken('e'),
  ]);
  expect([listed.code, listed.err]).toEqual([14, expect.stringContaining('3 of 5 did not go through')]);
  const table = await berthIn({ ...world }, ['jobs', 'batch', 'list']);
  expect(table.out).toMatch(/a\.jsonl\s+broken/);
});

describeWithPostgres('a list of a store', () => {
  const cluster = useCluster();

  test('shows a batch whose rows were changed by hand as broken, and the others', async () => {
    const { world, database } = await createStoreWorld(cluster());
    write(world, 'in.jsonl', items(2));
    for (const name of ['one', 'two'])
      expect(
        (await batchIn(world, 'run', 'echo', '--input', 'in.jsonl', '--out', `to-${name}`, '--name', name)).code,
      ).toBe(0);
    await cluster().query(`UPDATE berth.batches SET manifest = '7' WHERE name = 'one'`, database);
    const listed = await batchIn(world, 'list');
    expect([listed.code, rowsOf(listed)]).toMatchObject([14, [broken('one'), { batch: 'two', state: 'ended' }]]);
  });
});

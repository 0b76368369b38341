import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readShards } from '../../../../../src/batch/stores/postgres/results/part-reader.ts';
import { parseStoreAddress } from '../../../../../src/batch/stores/postgres/database/store-address.ts';
import { findBatch } from '../../../../../src/batch/stores/postgres/rows/batch-rows.ts';
import { openDatabase } from '../../../../../src/batch/stores/postgres/database/database.ts';
import { batchIn, createStoreWorld } from '../../../../support/batch/store-world.ts';
import { items } from '../../../../support/batch/command-fixture.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';
import { openTestStorage } from '../../../../support/storage/open-test-storage.ts';

describeWithPostgres('the published results of a shared batch', () => {
  const cluster = useCluster();

  test('are the same in groups of any size, and a group is not larger than allowed', async () => {
    const { world, url } = await createStoreWorld(cluster());
    writeFileSync(join(world.directory, 'in.jsonl'), items(40));
    const run = ['run', 'echo', '--input', 'in.jsonl', '--out', 'parts', '--name', 'nightly', '--shard-items', '15'];
    expect((await batchIn(world, ...run)).code).toBe(0);
    const { address, password = '' } = parseStoreAddress(url, {});
    const database = await openDatabase({ address, password: async () => password });
    onTestFinished(() => database.close());
    const ports = { database, storage: openTestStorage().storage, signal: new AbortController().signal };
    const batch = await findBatch(database, 'nightly');
    /** The groups of each shard: the item and the line of each result. */
    const read = async (maxBytes?: number) => {
      const shards: (readonly (readonly [number, string])[])[][] = [];
      for await (const { groups } of readShards(ports, batch, maxBytes)) {
        const found: (readonly (readonly [number, string])[])[] = [];
        for await (const lines of groups())
          found.push([...lines].map(([item, line]) => [item, Buffer.from(line).toString()]));
        shards.push(found);
      }
      return shards;
    };
    const byItem = (lines: readonly (readonly [number, string])[]) => lines.toSorted(([one], [other]) => one - other);
    const whole = await read();
    expect(whole.map((groups) => groups.map((lines) => lines.length))).toEqual([[15], [15], [10]]);
    for (const maxBytes of [1, 300, 700]) {
      const grouped = await read(maxBytes);
      expect(grouped.map((groups) => byItem(groups.flat()))).toEqual(whole.map((groups) => byItem(groups.flat())));
      for (const groups of grouped) {
        expect(groups.flatMap((lines) => byItem(lines))).toEqual(byItem(groups.flat()));
        for (const lines of groups)
          expect(lines.length === 1 || lines.reduce((sum, [, line]) => sum + line.length, 0) <= maxBytes).toBe(true);
      }
      if (maxBytes === 1) expect(grouped.map((groups) => groups.length)).toEqual([15, 15, 10]);
    }
  });
});

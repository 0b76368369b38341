import { expect, test } from 'vitest';
import { items, write } from '../../../../support/batch/command-fixture.ts';
import { createStoreWorld } from '../../../../support/batch/store-world.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';

const RUN = ['jobs', 'batch', 'run', 'demo', '--input', 'in.jsonl', '--out', 'parts', '--shard-items', '20'];

describeWithPostgres('a batch whose database goes away while it runs', () => {
  const cluster = useCluster();

  test.each([
    ['in lines', {}, /^\d+ of 60 .*the store has not been reachable for \d+s: \S/m],
    ['beside the bar', { tty: { stderr: true }, columns: 120 }, /% .*the store has not been reachable for \d+s: \S/],
  ])('says so, and that it is back: %s', async (_, options, said) => {
    const { world } = await createStoreWorld(cluster(), options);
    write(world, 'in.jsonl', items(60));
    const running = berthIn(world, RUN);
    const until = async (text: RegExp): Promise<void> => {
      while (!text.test(world.err())) await new Promise(setImmediate);
    };
    await until(/in flight/);
    await cluster().stop();
    await until(said);
    await cluster().start();
    const ran = await running;
    expect([ran.code, ran.err]).toEqual([0, expect.stringMatching(/The store answers again, after \d+s\./)]);
  });
});

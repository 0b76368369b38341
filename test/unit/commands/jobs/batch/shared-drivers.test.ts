import { expect, test } from 'vitest';
import { items, summary, write } from '../../../../support/batch/command-fixture.ts';
import { batchIn, createStoreWorld } from '../../../../support/batch/store-world.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';
import { berthIn } from '../../../../support/worlds/run-berth.ts';

const OWNER = 'abc 71 120000 gpu-1';

describeWithPostgres('the drivers of a shared batch', () => {
  const cluster = useCluster();

  /** A batch of two shards that has not ended, as SQL changes their rows. */
  async function batchWith(change: string) {
    const { world, database } = await createStoreWorld(cluster());
    write(world, 'in.jsonl', items(10));
    const run = ['run', 'echo', '--input', 'in.jsonl', '--out', 'parts', '--name', 'nightly', '--shard-items', '5'];
    expect((await batchIn(world, ...run)).code).toBe(0);
    await cluster().query(
      `UPDATE berth.shards SET done = false, completed = 0, ended = '', ${change} WHERE shard = 1`,
      database,
    );
    return world;
  }

  test.each([
    ['working', `owner = '${OWNER}', lease_until = now() + interval '119 seconds'`, undefined],
    [
      'silent',
      `owner = '${OWNER}', lease_until = now() + interval '30 seconds'`,
      'Another driver may take them over after',
    ],
    ['gone', `owner = '${OWNER}', lease_until = now() - interval '1 second'`, 'Its lease has ended. The next driver'],
    ['left', `owner = NULL, lease_until = now() - interval '1 second'`, 'the driver that had them has ended'],
  ])(
    'are named by host, process and last contact, and shards that no driver works on are explained: %s',
    async (state, change, note) => {
      const world = await batchWith(change);
      const isDriver = state === 'working' || state === 'silent';
      const shown = summary(await batchIn(world, 'status', 'nightly'));
      const process =
        state === 'left' ? {} : { pid: 71, host: 'gpu-1', lastContact: expect.stringContaining('T') as string };
      expect(shown).toMatchObject({
        drivers: isDriver ? 1 : 0,
        holders: [{ state, count: 1, shards: [1], ...process }],
      });
      const listed = JSON.parse((await batchIn(world, 'list')).out) as readonly unknown[];
      expect(listed).toMatchObject([{ holders: [{ state }] }]);
      const told = await berthIn({ ...world }, ['jobs', 'batch', 'status', 'nightly']);
      expect((told.out + told.err).includes('No driver works on 1 shard (1)')).toBe(note !== undefined);
      if (note !== undefined) expect(told.out + told.err).toContain(note);
      if (isDriver) expect(told.out).toContain('process 71 on gpu-1: 1 shard, last contact');
      else expect((told.out + told.err).includes('process 71 on gpu-1')).toBe(state === 'gone');
    },
  );

  test('of an earlier version are shown without a name, and a host cannot write on the terminal', async () => {
    const world = await batchWith(`owner = 'k3j2h1', lease_until = now() + interval '1 minute'`);
    expect((await berthIn({ ...world }, ['jobs', 'batch', 'status', 'nightly'])).out).toContain(
      'a driver of an earlier version: 1 shard',
    );
    const hostile = await batchWith(`owner = E'a 1 60000 \\x1b[2Jhost', lease_until = now() + interval '1 minute'`);
    expect((await berthIn({ ...hostile }, ['jobs', 'batch', 'status', 'nightly'])).out).not.toContain('\u001b[2J');
  });
});

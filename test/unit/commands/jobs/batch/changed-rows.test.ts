import { expect, test } from 'vitest';
import { doIn, COUNT, expectWhole, killedRun, sharedPlace } from '../../../../support/batch/batch-place.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';

describeWithPostgres('a store whose rows were changed by hand', () => {
  const cluster = useCluster();
  const databaseOf = (store = ''): string => new URL(store).pathname.slice(1);

  test.each([
    ['the manifest of batch one', `UPDATE berth.batches SET manifest = '{}'`],
    ['the manifest of batch one', `UPDATE berth.batches SET manifest = '[]'`],
    [
      'the manifest of batch one',
      `UPDATE berth.batches SET manifest = jsonb_set(manifest::jsonb, '{sources,0,bytes}', '"x"')`,
    ],
    [
      'the manifest of batch one',
      `UPDATE berth.batches SET manifest = jsonb_set(manifest::jsonb, '{format,format}', '"xml"')`,
    ],
    ['the range of shard', `UPDATE berth.shards SET range = '{"start":-1}'`],
    ['a record of shard', `UPDATE berth.records SET events = '[["s",1]]'`],
    ['a record of shard', `UPDATE berth.records SET events = '{"length":1}'`],
  ])('ends a resume before it sends anything: %s is none, after %s', async (what, statement) => {
    const place = await sharedPlace(cluster(), 1);
    expect((await killedRun(place, 'one', COUNT)).killed).toBe(true);
    const sent = place.service.jobs.length;
    await cluster().query(statement, databaseOf(place.env('one')['BERTH_STORE']));
    const ran = await doIn(place, 'one', 'resume');
    expect([ran.code, ran.err]).toEqual([14, expect.stringContaining(what)]);
    expect(ran.err).toContain('in the database does not have the form that berth writes');
    expect(place.service.jobs).toHaveLength(sent);
  });

  test.each([`'[]'`, `'{"drivers":{"x":1}}'`])('begins the shared rates anew where they are %s', async (state) => {
    const place = await sharedPlace(cluster(), 1);
    expect((await killedRun(place, 'one', COUNT + 2)).killed).toBe(true);
    await cluster().query(`UPDATE berth.pace SET state = ${state}`, databaseOf(place.env('one')['BERTH_STORE']));
    expect([0, 13]).toContain((await doIn(place, 'one', 'resume')).code);
    await expectWhole(place, 'one');
  });
});

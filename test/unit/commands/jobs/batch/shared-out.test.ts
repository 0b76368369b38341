import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../../../src/batch/stores/postgres/database/database.ts';
import { parseStoreAddress } from '../../../../../src/batch/stores/postgres/database/store-address.ts';
import { MIGRATION_STEPS, prepareTables } from '../../../../../src/batch/stores/postgres/migrations.ts';
import { items, write } from '../../../../support/batch/command-fixture.ts';
import { batchIn, createStoreWorld } from '../../../../support/batch/store-world.ts';
import { describeWithPostgres, useCluster } from '../../../../support/postgres/postgres.ts';
import { KEYS, type TestWorld } from '../../../../support/worlds/test-world.ts';
import { berthIn, type Ran } from '../../../../support/worlds/run-berth.ts';

const MARKER = 'berth-batch.json';

const runOf = (world: TestWorld, name: string, out = 'parts'): Promise<Ran> =>
  batchIn(world, 'run', 'echo', '--input', 'in.jsonl', '--out', out, '--name', name, '--shard-items', '5');

/** The files in the folder of results with their contents. */
const filesIn = (world: TestWorld): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(join(world.directory, 'parts')).map((name) => [
      name,
      readFileSync(join(world.directory, 'parts', name), 'utf8'),
    ]),
  );

describeWithPostgres('a folder of results', () => {
  const cluster = useCluster();

  /** The same world with another empty database. */
  async function withOtherStore(world: TestWorld): Promise<TestWorld> {
    return { ...world, env: { ...world.env, BERTH_STORE: cluster().url(await cluster().createDatabase()) } };
  }

  test.each(['the same store', 'another store'])(
    'is refused to a second batch of %s, which says whose it is, and nothing of the first changes',
    async (which) => {
      const { world } = await createStoreWorld(cluster());
      write(world, 'in.jsonl', items(12));
      expect((await runOf(world, 'first')).code).toBe(0);
      const before = filesIn(world);
      const other = which === 'the same store' ? world : await withOtherStore(world);
      for (const out of ['parts', 'parts/', './parts//']) {
        const ran = await runOf(other, 'second', out);
        expect([ran.code, ran.err]).toEqual([14, expect.stringContaining('batch first')]);
        expect(ran.err).toContain('Name another --out.');
      }
      expect(filesIn(world)).toEqual(before);
      expect((await batchIn(other, 'status', 'second')).code).toBe(4);
      expect((await runOf(other, 'second', 'others')).code).toBe(0);
    },
  );

  test.each(['the same store', 'two stores'])(
    'belongs to one of two batches of %s that begin together',
    async (which) => {
      const { world } = await createStoreWorld(cluster());
      write(world, 'in.jsonl', items(12));
      const other = which === 'the same store' ? world : await withOtherStore(world);
      const all = await Promise.all([runOf(world, 'one'), runOf(other, 'two')]);
      expect(all.map(({ code }) => code).sort()).toEqual([0, 14]);
      const won = all[0].code === 0;
      const [winner, loser] = won ? ([world, other] as const) : ([other, world] as const);
      const [name, refused] = won ? ['one', 'two'] : ['two', 'one'];
      const exported = await batchIn(winner, 'export', name, '--format', 'jsonl', '--out', 'all.jsonl');
      expect([
        exported.code,
        readFileSync(join(world.directory, 'all.jsonl'), 'utf8').trim().split('\n').length,
      ]).toEqual([0, 12]);
      expect((await batchIn(loser, 'status', refused)).code).toBe(4);
    },
  );

  test('of a batch that was begun without a marker gets it from the next driver', async () => {
    const { world, database } = await createStoreWorld(cluster());
    write(world, 'in.jsonl', items(12));
    expect((await runOf(world, 'nightly')).code).toBe(0);
    rmSync(join(world.directory, 'parts', MARKER));
    await cluster().query('UPDATE berth.outs SET marked = false', database);
    expect((await batchIn(world, 'work', 'nightly')).code).toBe(0);
    expect(filesIn(world)[MARKER]).toContain('"batch":"nightly"');
  });

  test('that is not the same on this machine is noticed before anything is written', async () => {
    const { world } = await createStoreWorld(cluster());
    write(world, 'in.jsonl', items(12));
    expect((await runOf(world, 'nightly')).code).toBe(0);
    const line = filesIn(world)[MARKER]?.trim() ?? '';
    rmSync(join(world.directory, 'parts'), { recursive: true });
    const ran = await batchIn(world, 'work', 'nightly');
    expect([ran.code, ran.err]).toEqual([14, expect.stringContaining('is missing')]);
    expect(existsSync(join(world.directory, 'parts'))).toBe(false);
    expect((JSON.parse(ran.err) as { error: { hint: string } }).error.hint).toContain(line);
  });

  test('can be the input of another batch', async () => {
    const { world } = await createStoreWorld(cluster());
    write(world, 'in.jsonl', items(12));
    expect((await runOf(world, 'nightly')).code).toBe(0);
    const next = ['run', 'echo', '--input', 'parts/', '--input-field', 'output', '--out', 'next', '--name', 'next'];
    expect(JSON.parse((await batchIn(world, ...next)).out)).toMatchObject({ completed: 12 });
  });
});

describeWithPostgres('jobs batch clean', () => {
  const cluster = useCluster();

  async function batchWithLeftovers() {
    const { world } = await createStoreWorld(cluster(), { tty: true });
    write(world, 'in.jsonl', items(12));
    expect((await runOf(world, 'nightly')).code).toBe(0);
    const published = Object.keys(filesIn(world));
    const [part = ''] = published.filter((name) => name.startsWith('part-'));
    const own = [part.replace('-0001.', '-0000.'), `${part.replace('-0001.', '-0000.')}.x1.partial`];
    // Those of another batch, and those of a version that left the token out: nothing proves whose they are.
    const others = ['part-000000000000-000000-0000.jsonl', 'part-000000-0000.jsonl', 'part.txt'];
    for (const name of [...own, ...others]) writeFileSync(join(world.directory, 'parts', name), '{}\n');
    const left = (): readonly string[] => Object.keys(filesIn(world)).sort();
    return { world, own, kept: [...published, ...others].sort(), left };
  }

  test('removes what was written for the batch and not published, and nothing else', async () => {
    const { world, own, kept, left } = await batchWithLeftovers();
    const ran = await batchIn(world, 'clean', 'nightly', '--yes');
    expect((JSON.parse(ran.out) as { address: string }[]).map(({ address }) => address)).toEqual(
      own.map((name) => join(world.directory, 'parts', name)),
    );
    expect(left()).toEqual(kept);
    expect((await batchIn(world, 'export', 'nightly', '--format', 'jsonl', '--out', 'all.jsonl')).code).toBe(0);
  });

  test('is named by the status, and by the end of a run, as long as there is something to remove', async () => {
    const { world } = await batchWithLeftovers();
    const told = async (verb: string): Promise<readonly string[]> =>
      /[^.]*not published[^.]*\. To remove.*?nightly/.exec(
        (await batchIn(world, verb, 'nightly')).err.replace(/\s+/g, ' '),
      ) ?? [];
    const note =
      'files in the folder of the results are of this batch and not published: do not read them. To remove them: berth jobs batch clean nightly';
    for (const verb of ['status', 'work']) expect((await told(verb)).join()).toContain(`2 ${note}`);
    expect((await batchIn(world, 'clean', 'nightly', '--yes')).code).toBe(0);
    for (const verb of ['status', 'work']) expect(await told(verb)).toEqual([]);
  });

  test('says what it will remove, and asks', async () => {
    const { world, own, kept, left } = await batchWithLeftovers();
    const running = berthIn({ ...world }, ['jobs', 'batch', 'clean', 'nightly']);
    while (!world.err().includes('Continue?')) await new Promise(setImmediate);
    for (const name of own) expect(world.err()).toContain(name);
    await world.type('n', KEYS.enter);
    expect((await running).code).toBe(2);
    expect(left().length).toBe(kept.length + own.length);
  });

  test.each([
    ['without a terminal and without --yes', {}, ['--no-input'], 2],
    ['when the profile may only read', { BERTH_ACCESS: 'read' }, ['--yes'], 3],
    ['when the profile may not destroy', { BERTH_ACCESS: 'write' }, ['--yes'], 3],
  ] as const)('removes nothing %s', async (_, env, flags, exit) => {
    const { world, own, kept, left } = await batchWithLeftovers();
    const ran = await batchIn({ ...world, env: { ...world.env, ...env } }, 'clean', 'nightly', ...flags);
    expect([ran.code, left().length]).toEqual([exit, kept.length + own.length]);
  });
});

describeWithPostgres('a batch that does not exist', () => {
  const cluster = useCluster();

  test.each(['clean', 'remove', 'cancel'])('is said before a confirmation is asked for: %s', async (verb) => {
    const { world } = await createStoreWorld(cluster());
    write(world, 'in.jsonl', items(3));
    expect((await runOf(world, 'nightly')).code).toBe(0);
    const ran = await batchIn(world, verb, 'nosuch', '--no-input');
    expect([ran.code, ran.err]).toEqual([4, expect.stringContaining('has no batch nosuch')]);
    const file = await batchIn(world, verb, 'nosuch.jsonl', '--store', 'file', '--no-input');
    expect([file.code, file.err]).toEqual(
      verb === 'remove'
        ? [14, expect.stringContaining('there is no batch at')]
        : [2, expect.stringContaining(`batch ${verb} needs --store`)],
    );
  });
});

describeWithPostgres('a batch that has ended', () => {
  const cluster = useCluster();

  test('is not cancelled: work on it goes on to say that it is complete', async () => {
    const { world } = await createStoreWorld(cluster());
    write(world, 'in.jsonl', items(3));
    expect((await runOf(world, 'nightly')).code).toBe(0);
    const cancelled = await batchIn(world, 'cancel', 'nightly');
    expect([cancelled.code, cancelled.err]).toEqual([0, expect.stringContaining('there was nothing to cancel')]);
    expect((await batchIn(world, 'work', 'nightly')).code).toBe(0);
  });
});

describeWithPostgres('the tables of a store', () => {
  const cluster = useCluster();

  const NONE = '';
  const tablesIn = (database: string): Promise<string> =>
    cluster().query(`SELECT table_name FROM information_schema.tables WHERE table_schema = 'berth'`, database);

  test.each([
    ['status', 'nightly'],
    ['report', 'nightly'],
    ['export', 'nightly'],
    ['cancel', 'nightly'],
    ['clean', 'nightly', '--yes'],
    ['work', 'nightly'],
    ['resume', 'nightly'],
  ])('are not created by %s, which says that there are none', async (...words) => {
    const { world, database } = await createStoreWorld(cluster());
    const ran = await batchIn(world, ...words);
    expect([ran.code, ran.err]).toEqual([4, expect.stringContaining('it has no tables of berth')]);
    expect(await tablesIn(database)).toBe(NONE);
  });

  test.each<readonly [string, readonly string[], boolean]>([
    ['status', ['nightly'], false],
    ['report', ['nightly'], false],
    ['export', ['nightly'], false],
    ['list', [], false],
    ['clean', ['nightly', '--yes'], false],
    ['remove', ['nightly', '--yes'], false],
    ['cancel', ['nightly'], false],
    ['work', ['nightly'], true],
    ['resume', ['nightly'], true],
    ['run', ['echo', '--input', 'in.jsonl', '--out', 'parts'], true],
  ])('of an earlier version are migrated only by what drives a batch: %s', async (verb, words, migrates) => {
    const { world, url, database } = await createStoreWorld(cluster());
    write(world, 'in.jsonl', items(3));
    const { address, password = '' } = parseStoreAddress(url, {});
    const earlier = await openDatabase({ address, password: () => Promise.resolve(password) });
    await prepareTables(earlier, 'create', MIGRATION_STEPS.slice(0, -1));
    await earlier.close();
    const ran = await batchIn(world, verb, ...words);
    expect([0, 4], ran.err).toContain(ran.code);
    const steps = migrates ? MIGRATION_STEPS.length : MIGRATION_STEPS.length - 1;
    expect(await cluster().query('SELECT version FROM berth.schema_version', database)).toBe(String(steps));
  });

  test.each<readonly [string, string, string, Readonly<Record<string, string>>, number]>([
    ['an endpoint that does not exist', 'no-such-endpoint', 'in.jsonl', {}, 4],
    ['a key that is refused', 'echo', 'in.jsonl', { BERTH_API_KEY: 'another-key-that-nobody-has' }, 3],
    ['an input that cannot be sent', 'echo', 'wrong.jsonl', {}, 2],
  ])('are not created by a run that is refused for %s', async (_, endpoint, input, env, code) => {
    const { world, database } = await createStoreWorld(cluster());
    write(world, 'in.jsonl', items(3));
    write(world, 'wrong.jsonl', 'not JSON');
    const run = ['run', endpoint, '--input', input, '--out', 'parts', '--name', 'nightly'];
    const ran = await batchIn({ ...world, env: { ...world.env, ...env } }, ...run);
    expect([ran.code, existsSync(join(world.directory, 'parts'))], ran.err).toEqual([code, false]);
    expect(await tablesIn(database)).toBe(NONE);
  });

  test('are not created by a dry run', async () => {
    const { world, database } = await createStoreWorld(cluster());
    write(world, 'in.jsonl', items(3));
    const dry = ['run', 'echo', '--input', 'in.jsonl', '--out', 'parts', '--dry-run'];
    expect(JSON.parse((await batchIn(world, ...dry)).out)).toMatchObject({ planned: 3 });
    expect([await tablesIn(database), existsSync(join(world.directory, 'parts'))]).toEqual([NONE, false]);
  });
});

import { expect, test } from 'vitest';
import type { GivenSettings } from '../../../src/local/http/operation.ts';
import { createAccount, local, type Account } from '../../support/worlds/local-account.ts';
import { berthIn } from '../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../support/worlds/test-world.ts';

// Every list of the contract, from a service whose pages have two rows (additions 1).

const CLUSTER = 'clusters create --name c# --type TRAINING --gpu GPU-80G --gpu-count 1 --pods 3 --image i';
interface Row {
  readonly id: string;
  readonly name: string;
  readonly locked?: boolean;
}

const ARN = 'arn:cloud:registry:eu-north-1:123456789012:repository/';
const times = (count: number, line: string): readonly string[] =>
  Array.from({ length: count }, (_, at) => line.replaceAll('#', String(at + 1)));

const BUILDS = times(3, 'api POST /local/builds/echo --input \'{"status":"COMPLETED"}\'');

/** Each list with what makes more than two rows of it, where a new account has fewer. */
const LISTS: readonly (readonly [string, readonly string[]])[] = [
  ['pods list', []],
  ['endpoints list', []],
  ['templates list', times(3, 'templates create --name t# --image i')],
  ['volumes list', times(3, 'volumes create --name v# --size 10 --data-center EU-NORTH-1')],
  ['registries list', times(3, 'registries create --name r# --username u --password-stdin')],
  ['registries delegations list', times(3, `registries delegations create --name d# --resource ${ARN}#`)],
  ['clusters list', times(3, CLUSTER)],
  ['clusters pods c1', [CLUSTER.replaceAll('#', '1')]],
  ['secrets list', times(3, 'secrets create --name s# --value-stdin')],
  ['endpoints workers e1', ['endpoints create --name e1 --image i --gpu-pool POOL-24G --workers-min 3']],
  ['endpoints builds list echo', BUILDS],
  ['account ssh-keys list', times(3, "account ssh-keys add 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAM# me'")],
  ['catalog gpus', []],
  ['catalog datacenters', []],
];

const rowsOf = async (account: Account, line: string): Promise<readonly unknown[]> =>
  JSON.parse(await local(account, `${line} --json`)) as readonly unknown[];

async function prepared(setup: readonly string[], localService: GivenSettings): Promise<Account> {
  const account = createAccount(undefined, localService);
  for (const line of setup) {
    const ran = await account(line, { stdin: 'value-of-a-secret' });
    expect(ran.code, `${line}\n${ran.err}`).toBe(0);
    // Rows that are created at different times have one order.
    await local(account, 'local clock advance 1s');
  }
  return account;
}

test.each(LISTS)('berth %s has the same rows from pages of two', async (line, setup) => {
  const whole = await prepared(setup, {});
  const paged = await prepared(setup, { pageSize: 2 });
  const rows = await rowsOf(whole, line);
  expect(rows.length).toBeGreaterThan(2);
  expect(await rowsOf(paged, line)).toEqual(rows);
  const limited = await paged(`${line} --limit 1 --json`);
  if (line.startsWith('account')) return;
  expect(JSON.parse(limited.out)).toEqual(rows.slice(0, 1));
  expect(limited.err).toMatch(/(^|\n)Shown: 1 .*, because of --limit\. There may be more\.\n$/);
});

test.each(['pods list', 'endpoints list', 'endpoints builds list echo'])(
  'berth %s prints the same from pages of two in every format',
  async (line) => {
    const setup = line.includes('builds') ? BUILDS : [];
    const whole = await prepared(setup, {});
    const paged = await prepared(setup, { pageSize: 2 });
    for (const format of ['table', 'jsonl', 'id', 'yaml'])
      expect(await local(paged, `${line} -o ${format}`), format).toBe(await local(whole, `${line} -o ${format}`));
    // Members that no row of the first page has, and that berth knows, have a column too.
    expect((await local(paged, `${line} -o csv`)).split('\n')).toHaveLength((await rowsOf(whole, line)).length + 1);
  },
);

test('the releases of an endpoint come whole from pages of two; --limit shows the newest', async () => {
  const setup = times(4, 'endpoints update echo --image i:#');
  const paged = await prepared(setup, { pageSize: 2 });
  const whole = await prepared(setup, {});
  const line = 'endpoints releases echo';
  expect(JSON.parse(await local(paged, `${line} --json`))).toEqual(JSON.parse(await local(whole, `${line} --json`)));
  for (const account of [paged, whole]) {
    const ran = await account(`${line} --limit 3 --json`);
    expect((JSON.parse(ran.out) as { releases: readonly { version: number }[] }).releases).toMatchObject([
      { version: 5 },
      { version: 4 },
      { version: 3 },
    ]);
    expect(ran.err).toBe('Shown: 3 releases, because of --limit. There may be more.\n');
  }
  expect(await local(paged, `${line} --limit 1 -o id`)).toBe(await local(whole, `${line} --limit 1 -o id`));
});

test.each([
  ['pods', 'terminate'],
  ['endpoints', 'delete'],
  ['templates', 'delete'],
])('names, selectors and completion of %s find what is on the last page of one', async (noun, verb) => {
  const world = createTestWorld({ env: { BERTH_LOCAL: '1' }, localService: { pageSize: 1 } });
  const run = async (...argv: readonly string[]): Promise<string> => {
    const ran = await berthIn(world, argv);
    expect(ran.code, ran.err).toBe(0);
    return ran.out.trim();
  };
  const rows = JSON.parse(await run(noun, 'list', '--json')) as readonly Row[];
  const { id, name } = rows.findLast(({ locked }) => locked !== true) ?? { id: '', name: '' };
  expect(rows.findIndex((row) => row.id === id)).toBeGreaterThan(0);
  expect(await run(noun, 'get', name, '-o', 'id')).toBe(id);
  expect(await run(noun, verb, '--match', name, '--yes', '--dry-run', '--json')).toContain(id);
  expect(await run('__complete', 'zsh', noun, 'get', name)).toContain(name);
});

test.each([1, 2])('rows that move to the next page come once, from pages of %i', async (pageSize) => {
  const whole = await rowsOf(createAccount(), 'pods list');
  const account = createAccount(undefined, { pageSize });
  await local(account, "local fault add page-shift --match 'GET /v2/pods'");
  const ran = await account('--verbose pods list --json');
  expect(JSON.parse(ran.out)).toEqual(whole);
  // Each page that repeats a row makes another one necessary.
  expect(ran.err.match(/> GET|GET http/g)?.length ?? 0).toBeGreaterThan(Math.ceil(whole.length / pageSize));
});

import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { json, KEY, pointedAt, problem, routed, serve } from '../../../support/servers/scripted-server.ts';
import { createAccount } from '../../../support/worlds/local-account.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

const NOW = Date.UTC(2026, 0, 15, 12);

const records = (...ids: readonly string[]) =>
  json({
    records: ids.map((podId, at) => ({
      ...{ startTime: '2026-01-14T00:00:00Z', endTime: '2026-01-15T00:00:00Z', podId },
      ...{ totalAmount: 2 - at, gpuAmount: 2 - at, cpuAmount: 0, diskAmount: 0 },
    })),
    metadata: {},
  });

const THERE = {
  'GET /v2/billing': records(),
  'GET /v2/billing/pods': records('pod-train', 'pod-broken'),
  'GET /v2/billing/serverless': records(),
  'GET /v2/billing/network-volumes': records(),
  'GET /v2/billing/clusters': records(),
  'GET /v2/billing/endpoints': records(),
  'GET /v2/pods': json({
    pods: [
      { id: 'pod-train', name: 'train', status: 'RUNNING', cost: 1.5 },
      { id: 'pod-broken', name: 'broken', status: 'ERROR', cost: 0.5 },
    ],
  }),
  'GET /v2/serverless': json({ endpoints: [] }),
  'GET /v2/network-volumes': json({ networkVolumes: [] }),
  'GET /v2/clusters': json({ clusters: [] }),
  'POST /v2/pods': json({ id: 'pod-train', name: 'train' }, 201),
};
const GONE = { ...THERE, 'GET /v2/pods': json({ pods: [] }) };

describe('what is gone', () => {
  /** The names in a report on what is gone, after a command that ran while it was there. */
  async function namesAfter(argv: readonly string[] | undefined, damage?: (file: string) => void): Promise<string> {
    let routes: Parameters<typeof routed>[0] = THERE;
    const server = await serve([
      (exchange) => {
        routed(routes)(exchange);
      },
    ]);
    const env = { ...pointedAt(server.url), NO_COLOR: '1' };
    const world = createTestWorld({ clock: createTestClock(NOW), env });
    const before = argv === undefined ? undefined : await berthIn(world, argv);
    expect(before?.code ?? 0, before?.err).toBe(0);
    damage?.(join(world.directory, '.local/share/berth/accounts/names.json'));
    routes = GONE;
    const { out } = await berthIn(world, ['billing', 'report', '--last', '10d', '--by', 'pod', '--json']);
    const { rows } = JSON.parse(out) as { readonly rows: readonly { readonly name: string | null }[] };
    return rows.map(({ name }) => String(name)).join(' ');
  }

  test.each([
    [['pods', 'list'], 'train broken'],
    [['pods', 'list', '-o', 'jsonl'], 'train broken'],
    [['pods', 'list', '--status', 'ERROR', '-o', 'id'], 'train broken'],
    [['billing', 'report', '--last', '10d'], 'train broken'],
    // A create reads the list, for its note about a name that is taken; with --quiet it does not.
    [['pods', 'create', '--name', 'train', '--image', 'a/b', '--gpu', 'GPU-80G'], 'train broken'],
    [['pods', 'create', '--name', 'train', '--image', 'a/b', '--gpu', 'GPU-80G', '--quiet'], 'train null'],
    [undefined, 'null null'],
  ])('keeps its name after %j: %s', async (argv, names) => {
    expect(await namesAfter(argv)).toBe(names);
  });

  test.each([
    [
      'is damaged',
      (file: string) => {
        writeFileSync(file, '{"accounts":');
      },
    ],
    [
      'has another form',
      (file: string) => {
        writeFileSync(file, '{"accounts":[{"names":{"a":1}}]}');
      },
    ],
    [
      'is of another account',
      (file: string) => {
        writeFileSync(file, readFileSync(file, 'utf8').replace('"accounts":{"', '"accounts":{"x'));
      },
    ],
    [
      'others may write',
      (file: string) => {
        chmodSync(file, 0o666);
      },
    ],
    [
      'is a folder',
      (file: string) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ])('has no name where the file %s', async (_, damage) => {
    expect(await namesAfter(['pods', 'list'], damage)).toBe('null null');
  });

  test('is remembered without the key, and only this user can read the file', async () => {
    await namesAfter(['pods', 'list'], (file) => {
      expect(readFileSync(file, 'utf8')).not.toContain(KEY);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    });
  });

  test('has its name with each profile and variable that has the same key, and not with another key', async () => {
    let answer = routed(THERE);
    const server = await serve([
      (exchange) => {
        answer(exchange);
      },
    ]);
    const folders = { BERTH_DATA_DIR: temporaryDirectory(), BERTH_CONFIG_DIR: temporaryDirectory() };
    const env = { ...pointedAt(server.url), ...folders, NO_COLOR: '1' };
    for (const profile of ['one', 'two'])
      expect((await berth(['config', 'set', 'retries', '2', '--profile', profile], { env: folders })).code).toBe(0);
    const ran = await berth(['pods', 'list'], { env: { ...env, BERTH_PROFILE: 'one' } });
    expect(ran.code, ran.err).toBe(0);
    answer = routed(GONE);
    const clock = createTestClock(NOW);
    const namesWith = async (more: Readonly<Record<string, string>>): Promise<string> =>
      (await berth(['billing', 'report', '--last', '10d', '--by', 'pod'], { env: { ...env, ...more }, clock })).out;
    expect(await namesWith({ BERTH_PROFILE: 'two' })).toContain('\ntrain\tpod-train');
    expect(await namesWith({})).toContain('\ntrain\tpod-train');
    expect(await namesWith({ BERTH_API_KEY: `${KEY}-2` })).toContain('\n(terminated)\tpod-train');
  });

  test.each([
    ['it is in no list', {}, '(terminated)'],
    ['its list could not be read', { 'GET /v2/pods': problem(403, 'access denied') }, 'pod-train'],
  ])('has in the table what stands for its name, where %s', async (_, routes, shown) => {
    const server = await serve([routed({ ...GONE, ...routes })]);
    const world = createTestWorld({ clock: createTestClock(NOW), env: pointedAt(server.url) });
    const { out } = await berthIn(world, ['billing', 'report', '--last', '10d']);
    expect(out).toContain(`\n${shown}\tpod-train\tpod\t`);
  });

  test('is deleted, where it is no pod', async () => {
    const totals = { totalAmount: 2, standardAmount: 2, highPerformanceAmount: 0 };
    const volume = json({ records: [{ networkVolumeId: 'vol-old', ...totals }], metadata: {} });
    const server = await serve([routed({ ...GONE, 'GET /v2/billing/network-volumes': volume })]);
    const world = createTestWorld({ clock: createTestClock(NOW), env: pointedAt(server.url) });
    const { out } = await berthIn(world, ['billing', 'report', '--last', '10d', '--by', 'volume']);
    expect(out).toContain('\n(deleted)\tvol-old\t$2.00');
  });

  test('is found in its bill by the name that is remembered; of several that had it an id is asked for', async () => {
    const run = createAccount();
    const pod = async (): Promise<void> => {
      expect((await run('pods create --name gone --gpu GPU-24G --image a/b -o id')).code).toBe(0);
      expect((await run('local clock advance 2h')).code).toBe(0);
      expect((await run('pods terminate gone --yes')).code).toBe(0);
    };
    await pod();
    const one = await run('billing pods --pod gone --json --jq .records[0].podId');
    expect([one.code, one.out], one.err).toEqual([0, '"pod-000001"\n']);
    await pod();
    const two = await run('billing pods --pod gone');
    expect([two.code, two.err]).toEqual([
      2,
      'error: 2 that are gone were named "gone"\n  -> Use an id: pod-000001, pod-000002\n',
    ]);
    const none = await run('billing volumes --volume gone');
    expect([none.code, none.err]).toEqual([4, expect.stringContaining('no volume has this id or name')]);
  });

  test('is forgotten after two thousand others', async () => {
    const networkVolumes = Array.from({ length: 2500 }, (_, at) => ({ id: `vol-${at}`, name: `name-${at}` }));
    const server = await serve([routed({ 'GET /v2/network-volumes': json({ networkVolumes }) })]);
    const world = createTestWorld({ env: pointedAt(server.url) });
    expect((await berthIn(world, ['volumes', 'list', '-o', 'id'])).code).toBe(0);
    const file = join(world.directory, '.local/share/berth/accounts/names.json');
    const { accounts } = JSON.parse(readFileSync(file, 'utf8')) as { accounts: Record<string, { names: unknown[] }> };
    expect(Object.values(accounts).map(({ names }) => names.length)).toEqual([2000]);
  });
});

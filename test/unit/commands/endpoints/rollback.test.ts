import { describe, expect, test } from 'vitest';
import { createAccount, local } from '../../../support/worlds/local-account.ts';
import { json, pointedAt, routed, serve } from '../../../support/servers/scripted-server.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

const UPDATES = [
  'endpoints update echo --image example/echo:2 --env MODE=fast --env API_TOKEN=hush',
  'endpoints update echo --image example/echo:3 --env MODE=slow --unset-env API_TOKEN --port 80/http',
];

const shown = async (account: ReturnType<typeof createAccount>) =>
  JSON.parse(await local(account, 'endpoints get echo --json')) as Record<string, unknown>;

test('rollback makes a new release of an earlier one, by default of the one before the newest', async () => {
  const account = createAccount();
  const first = await shown(account);
  await local(account, UPDATES[0] ?? '');
  const second = await shown(account);
  await local(account, UPDATES[1] ?? '');
  const ran = await account('endpoints rollback echo --yes --wait');
  expect([ran.code, ran.out]).toEqual([0, '']);
  expect(ran.err).toMatch(/image {2}example\/echo:3 -> example\/echo:2$/m);
  expect(ran.err).toMatch(/^env {2}MODE, API_TOKEN$/m);
  expect(ran.err).not.toContain('hush');
  expect(ran.err).toMatch(/returned to release 2: endpoint echo\n$/);
  expect(await shown(account)).toEqual(second);
  await local(account, 'endpoints rollback echo 1 --yes');
  expect(await shown(account)).toEqual(first);
  const same = await account('endpoints rollback echo 1 --yes');
  expect([same.code, same.err]).toEqual([0, 'endpoint echo (echo) is already as release 1\n']);
});

test('rollback asks first, and sends nothing without an answer', async () => {
  const account = createAccount();
  await local(account, UPDATES[0] ?? '');
  const script = await account('endpoints rollback echo');
  expect([script.code, script.err]).toEqual([2, expect.stringContaining('--yes')]);
  const dry = await account('endpoints rollback echo --dry-run');
  expect(JSON.parse(dry.out)).toMatchObject({ method: 'PATCH', body: { env: {} } });
  for (const [line, words] of [
    ['endpoints rollback echo 9 --yes', 'no release 9'],
    ['endpoints rollback sleep --yes', 'no earlier release'],
  ] as const) {
    const ran = await account(line);
    expect([ran.code, ran.err]).toEqual([4, expect.stringContaining(words)]);
  }
});

describe('what a record lacks is named, and not guessed', () => {
  const release = (version: number, diff: readonly unknown[]) => ({
    id: `rel-${version}`,
    version,
    source: 'GIT_BUILD',
    createdAt: '2026-01-01T00:00:00Z',
    workerCount: 0,
    diff,
  });

  test.each([
    ['a change of what no update takes', [{ field: 'files', old: null, new: 'x' }], 'Release 3 changed files'],
    ['a release without a record', [], 'Release 3 has no record of what it changed.'],
    ['an old value that is missing', [{ field: 'disk', new: 9 }], 'Release 3 changed disk'],
  ])('%s', async (_, diff, words) => {
    const releases = [release(3, diff), release(2, [{ field: 'image', old: 'a:1', new: 'a:2' }]), release(1, [])];
    const row = { id: 'ep1', name: 'api', image: 'a:2', disk: 9, env: { MODE: 'fast' } };
    const server = await serve([
      routed({
        'GET /v2/serverless/ep1/releases': json({
          releases,
          rollout: {},
          pagination: { hasNextPage: false, nextCursor: null },
        }),
        'GET /v2/serverless/ep1': json(row),
        'PATCH /v2/serverless/ep1': json(row),
      }),
    ]);
    const ran = await berth(['endpoints', 'rollback', 'ep1', 'rel-1', '--yes'], { env: pointedAt(server.url) });
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err).toContain(words);
    expect(ran.err).not.toContain('env  ');
    const sent = server.seen.filter(({ method }) => method === 'PATCH');
    expect(sent.map(({ body }) => JSON.parse(body.toString()) as unknown)).toEqual([{ image: 'a:1' }]);
  });
});

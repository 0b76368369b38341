import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAccount, local, type Account } from '../../../support/worlds/local-account.ts';
import { json, KEY, serve } from '../../../support/servers/scripted-server.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

interface Row {
  readonly id: string;
  readonly endpoint: string;
  readonly submittedAt: string;
  readonly status: string | null;
  readonly statusAt: string | null;
  readonly error?: { readonly code: string; readonly message: string };
}

const recent = async (account: Account, flags = ''): Promise<readonly Row[]> =>
  JSON.parse(await local(account, `jobs recent ${flags} --json`)) as readonly Row[];

/** What is remembered and printed in short: `id status`. */
const states = (rows: readonly Row[]): readonly string[] => rows.map(({ id, status }) => `${id} ${String(status)}`);

describe('jobs recent', () => {
  test('lists the submitted jobs, the latest first, with the status in which each was last seen', async () => {
    const account = createAccount();
    const first = await local(account, "jobs run demo --input '{}'");
    await local(account, 'local clock advance 1m');
    const second = await local(account, "jobs run echo --input '{}' --wait -o id");
    expect(states(await recent(account))).toEqual([`${second} COMPLETED`, `${first} IN_QUEUE`]);
    expect(states(await recent(account, '--limit 1'))).toEqual([`${second} COMPLETED`]);
    await local(account, `jobs status demo ${first}`);
    expect(states(await recent(account))).toEqual([`${second} COMPLETED`, `${first} COMPLETED`]);
  });

  test.each([
    ['jobs status', (job: string) => `jobs status sleep ${job}`, 'IN_PROGRESS'],
    ['jobs cancel', (job: string) => `jobs cancel sleep ${job}`, 'CANCELLED'],
    ['jobs cancel of two', (job: string, other: string) => `jobs cancel sleep ${job} ${other} --yes`, 'CANCELLED'],
    ['jobs wait', (job: string) => `jobs wait sleep ${job} --wait-timeout 2m`, 'COMPLETED'],
    ['jobs stream', (job: string) => `jobs stream sleep ${job} --wait-timeout 2m`, 'COMPLETED'],
  ])('keeps what %s saw', async (_, line, status) => {
    const account = createAccount();
    const other = await local(account, 'jobs run sleep --input \'{"seconds":60}\'');
    const job = await local(account, 'jobs run sleep --input \'{"seconds":60}\'');
    await local(account, 'local clock advance 10s');
    await local(account, line(job, other));
    expect(states(await recent(account))[0]).toBe(`${job} ${status}`);
  });

  test('tells a job that had been cancelled from one that is cancelled now', async () => {
    const account = createAccount();
    const job = await local(account, 'jobs run sleep --input \'{"seconds":60}\'');
    expect((await account(`jobs cancel sleep ${job}`)).err).toBe(`cancelled job ${job}\n`);
    expect((await account(`jobs cancel ${job}`)).err).toBe(`job ${job} is already CANCELLED\n`);
    expect((await account(`jobs cancel ${job} --quiet`)).err).toBe('');
    const other = await local(account, "jobs run demo --input '{}'");
    const both = await account(`jobs cancel ${job} ${other} --yes --json`);
    expect(JSON.parse(both.out)).toMatchObject([
      { id: job, unchanged: true },
      { id: other, ok: true },
    ]);
  });

  test('with an endpoint lists the jobs of that one, by its name too', async () => {
    const account = createAccount();
    const made = await local(account, 'endpoints create --name mine --image a/b --cpu cpu-general:2 -o id');
    await local(account, "jobs run demo --input '{}'");
    const job = await local(account, "jobs run mine --input '{}'");
    for (const word of ['mine', made]) expect((await recent(account, word)).map(({ id }) => id)).toEqual([job]);
    expect(await recent(account, 'echo')).toEqual([]);
  });

  test('keeps that jobs status did not find a job any more, until one does', async () => {
    const account = createAccount();
    const job = await local(account, "jobs run echo --input '{}' --wait -o id");
    await local(account, "local fault add replica-lag --latency 1h --match 'GET /v2/echo/status'");
    expect((await account(`jobs status echo ${job}`)).code).toBe(4);
    expect((await recent(account))[0]).toMatchObject({ status: 'COMPLETED', error: { message: 'not found (404)' } });
    await local(account, 'local fault clear');
    await local(account, `jobs status echo ${job}`);
    expect((await recent(account))[0]?.error).toBeUndefined();
  });

  test('shows ages by the clock of the service', async () => {
    const account = createAccount();
    const job = await local(account, "jobs run echo --input '{}' --wait -o id");
    await local(account, 'local clock advance 2h');
    expect(await local(account, 'jobs recent')).toMatch(new RegExp(`${job}\\s+echo\\s+2h\\s+COMPLETED\\s+2h`));
  });
});

test('keeps the jobs of a stored profile when variables choose another account for a while', async () => {
  const server = await serve([json({ id: 'job-1', status: 'IN_QUEUE' }), json({ id: 'job-2', status: 'IN_QUEUE' })]);
  const world = createTestWorld();
  const addresses = { 'base-url': server.url, 'queue-url': `${server.url}/v2` };
  const file = join(world.directory, '.config/berth/config.json');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const profile = { ...addresses, 'api-key': KEY };
  writeFileSync(file, JSON.stringify({ current: 'own', profiles: { own: profile } }), { mode: 0o600 });
  const ids = async (): Promise<readonly string[]> =>
    (JSON.parse((await berthIn(world, ['jobs', 'recent', '--json'])).out) as readonly Row[]).map(({ id }) => id);
  expect((await berthIn(world, ['jobs', 'run', 'ep', '--input', '{}'])).code).toBe(0);
  Object.assign(world.env, { BERTH_API_KEY: 'another-key-0123456789abcdef', BERTH_BASE_URL: server.url });
  expect(await ids()).toEqual([]);
  expect((await berthIn(world, ['jobs', 'run', 'ep', '--input', '{}'])).code).toBe(0);
  expect(await ids()).toEqual(['job-2']);
  Reflect.deleteProperty(world.env, 'BERTH_API_KEY');
  Reflect.deleteProperty(world.env, 'BERTH_BASE_URL');
  expect(await ids()).toEqual(['job-1']);
});

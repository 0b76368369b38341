/** What a run prints, pasted in a new shell of the same user, acts where the run did: by every way to choose it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { json, problem, serve, type ScriptedServer } from '../../../support/servers/scripted-server.ts';
import { commandsIn } from '../../../support/worlds/check-printed-commands.ts';
import { berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';

type Given = Readonly<Record<string, string>>;

/** The setting by a flag, by a variable, or not at all. */
const WAYS = ['neither', 'flag', 'variable'] as const;

const answers: Parameters<typeof serve>[0][number] = (to) => {
  const { url } = to.arrival;
  if (url.startsWith('/v2/pods/')) problem(404, 'not found')(to);
  else if (url.startsWith('/v2/pods')) json({ pods: [] })(to);
  else problem(404, 'not found')(to);
};

async function services() {
  return { own: await serve([answers]), other: await serve([answers]), queue: await serve([answers]) };
}

function worldWith(document: object): TestWorld {
  const world = createTestWorld();
  const folder = join(world.directory, '.config', 'berth');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'config.json'), JSON.stringify(document), { mode: 0o600 });
  return world;
}

const run = (world: TestWorld, env: Given, argv: readonly string[]) =>
  berthIn({ ...world, env: { ...world.env, ...env } }, argv);

/** The requests of a run: to which service, with which key. */
async function requestsOf(servers: Readonly<Record<string, ScriptedServer>>, act: () => Promise<unknown>) {
  const before = Object.values(servers).map(({ seen }) => seen.length);
  await act();
  return Object.entries(servers).flatMap(([name, { seen }], at) =>
    seen.slice(before[at]).map(({ url, headers }) => `${name} ${url} ${String(headers.authorization)}`),
  );
}

/** The words before the noun of the first command that was printed and is not about a profile. */
const printedWords = (err: string): readonly string[] | undefined =>
  commandsIn(err)
    .filter((words) => !words.includes('config'))
    .map((words) =>
      words.slice(
        0,
        words.findIndex((word) => /^(pods|endpoints|auth)$/.test(word)),
      ),
    )[0];

describe.each(['base-url and key', 'base-url', 'nothing'])('a profile that keeps %s', (kept) => {
  it.each(WAYS)('chosen by: %s', async (named) => {
    const servers = await services();
    const full = { 'base-url': servers.own.url, 'api-key': 'sk-of-the-profile' };
    const one = kept === 'nothing' ? {} : kept === 'base-url' ? { 'base-url': servers.own.url } : full;
    const world = worldWith({ current: 'default', profiles: { default: named === 'neither' ? one : full, one } });
    let compared = 0;
    for (const [baseAt, base] of WAYS.entries())
      for (const [queueAt, queue] of WAYS.entries()) {
        // Each address with and without a key.
        const key = (baseAt + queueAt) % 2 === 0 ? '' : 'sk-of-the-shell';
        const given = [
          { way: named, flag: '--profile', variable: 'BERTH_PROFILE', value: 'one' },
          { way: base, flag: '--base-url', variable: 'BERTH_BASE_URL', value: servers.other.url },
          { way: queue, flag: '--queue-url', variable: 'BERTH_QUEUE_URL', value: servers.queue.url },
        ];
        const flags = given.flatMap(({ way, flag, value }) => (way === 'flag' ? [flag, value] : []));
        const ofUser: Given = key === '' ? {} : { BERTH_API_KEY: key };
        const variables = given.flatMap(({ way, variable, value }) => (way === 'variable' ? [[variable, value]] : []));
        const env = { ...ofUser, ...(Object.fromEntries(variables) as Given) };
        for (const command of [queueAt % 2 === 0 ? ['pods', 'get', 'x'] : ['health', 'ep1']]) {
          let words: readonly string[] | undefined;
          const ran = await requestsOf(servers, async () => {
            words = printedWords((await run(world, env, [...flags, ...command])).err);
          });
          // What is refused here sends nothing. Without the address of the lists, a command of the profile is the only advice.
          if (ran.length === 0 || words === undefined) continue;
          const isOnlyService =
            kept === 'nothing' && named === 'neither' && [base, queue].every((way) => way !== 'flag');
          const what = JSON.stringify({ flags, env, words, command });
          expect(await requestsOf(servers, () => run(world, ofUser, [...(words ?? []), ...command])), what).toEqual(
            isOnlyService ? [] : ran,
          );
          compared += 1;
        }
      }
    expect(compared).toBeGreaterThan(1);
  });
});

test.each([
  ['--local', { BERTH_LOCAL: '1' }],
  ['--local', { BERTH_PROFILE: 'local' }],
  ['--profile one', { BERTH_LOCAL: '0', BERTH_PROFILE: 'one' }],
  ['--profile default', { BERTH_LOCAL: '0' }],
])('the flag is %s for %j, also where the file names the local service', async (flag, env) => {
  const { own } = await services();
  const kept = { 'base-url': own.url, 'api-key': 'sk-of-the-profile' };
  const world = worldWith({ current: 'local', profiles: { default: kept, one: kept } });
  const { err } = await run(world, env, ['pods', 'get', 'x']);
  expect(printedWords(err)).toEqual(flag.split(' '));
});

test('a command that changes a profile names the one that was chosen', async () => {
  const { own } = await services();
  const kept = { 'base-url': own.url, 'api-key': 'sk-of-the-profile', access: 'read' };
  const world = worldWith({ current: 'one', profiles: { default: kept, one: kept, two: kept } });
  const refused = async (env: Given, ...flags: readonly string[]) =>
    (await run(world, env, [...flags, 'pods', 'stop', 'x', '--yes'])).err;
  expect(await refused({})).toContain('berth config set access write');
  expect(await refused({ BERTH_PROFILE: 'two' })).toContain('berth --profile two config set access write');
  const denied = await run(world, {}, ['--profile', 'two', '--rest-url', own.url, 'config', 'set', 'api-key', 'x']);
  expect(denied.err).toContain(`berth --profile two --rest-url ${own.url} auth login`);
});

test.each([
  ['files', { profiles: {} }],
  ['--storage-url URL files', { profiles: { default: { 'base-url': 'https://api.example.com' } } }],
])('a hint about files begins with %s', async (words, file) => {
  const { own } = await services();
  const env = { BERTH_BASE_URL: own.url, BERTH_API_KEY: 'sk-of-the-shell', BERTH_STORAGE_URL: own.url };
  const { err } = await run(worldWith(file), env, ['files', 'du', '--unknown']);
  expect(err.replaceAll(own.url, 'URL')).toMatch(new RegExp(`berth (--base-url URL )?${words} du --help`));
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { berth, berthIn, type Ran } from '../../support/worlds/run-berth.ts';
import { json, problem, reset, serve, type Behaviour } from '../../support/servers/scripted-server.ts';
import { createTestWorld, KEYS, type TestWorld } from '../../support/worlds/test-world.ts';

const KEY = 'key-0123456789-WXYZ';

/** The stored settings of the current profile. */
const kept = ({ directory }: TestWorld): unknown =>
  (
    JSON.parse(readFileSync(join(directory, '.config', 'berth', 'config.json'), 'utf8')) as {
      profiles: Record<string, unknown>;
    }
  ).profiles['default'];

const logIn = async (world: TestWorld, ...flags: readonly string[]): Promise<Ran> =>
  await berthIn({ ...world, stdin: createTestWorld({ stdin: KEY }).stdin }, [
    'auth',
    'login',
    '--with-key',
    '--no-check',
    ...flags,
  ]);

const queueOf = async (world: TestWorld): Promise<string> =>
  (await berthIn(world, ['config', 'get', 'queue-url'])).out.trim();

test.each([
  [[], 'missing --base-url and --with-key'],
  [['--with-key'], 'missing --base-url'],
  [['--base-url', 'https://api.example.com'], 'missing --with-key'],
])('a login without a terminal names all that is missing: %j', async (flags, missing) => {
  const { code, err } = await berthIn(createTestWorld(), ['auth', 'login', ...flags]);
  expect([code, err]).toEqual([2, expect.stringContaining(`${missing}: there is no terminal to ask`)]);
});

describe('a login', () => {
  test('stores the given addresses, and uses the base address for the queue until a queue address is given', async () => {
    const world = createTestWorld();
    await logIn(world, '--base-url', 'https://one.test');
    expect(kept(world)).toEqual({ 'api-key': KEY, 'base-url': 'https://one.test' });
    expect(await queueOf(world)).toBe('https://one.test');
    await logIn(world, '--base-url', 'https://two.test');
    expect(await queueOf(world)).toBe('https://two.test');
    await logIn(world, '--queue-url', 'https://q.test');
    expect(kept(world)).toEqual({ 'api-key': KEY, 'base-url': 'https://two.test', 'queue-url': 'https://q.test' });
  });

  test.each(['--base-url', '--queue-url', '--rest-url'])(
    'with %s in the clear ends 2 and keeps nothing',
    async (flag) => {
      const world = createTestWorld();
      const base = flag === '--base-url' ? [] : ['--base-url', 'https://api.example.com'];
      const ran = await logIn(world, ...base, flag, 'http://api.example.com');
      expect(ran.code).toBe(2);
      expect(ran.err).toMatch(/plain http to another machine[^]*Use https/);
      expect(() => kept(world)).toThrow(/ENOENT/);
    },
  );

  test('on a terminal asks for one address, then for the key, which is never shown', async () => {
    const world = createTestWorld({ tty: true });
    const ran = berthIn(world, ['auth', 'login', '--no-check']);
    const asked = (what: string): Promise<void> => expect.poll(() => world.err(), { interval: 5 }).toContain(what);
    await asked('Address of the management API');
    await world.type('http://api.test', KEYS.enter);
    await asked('plain http to another machine');
    await world.type(...Array.from({ length: 15 }, () => '\u007f'), 'https://api.test', KEYS.enter);
    await asked('API key');
    await world.type(KEY, KEYS.enter);
    expect((await ran).code).toBe(0);
    expect(world.err()).not.toContain(KEY);
    expect(kept(world)).toEqual({ 'api-key': KEY, 'base-url': 'https://api.test' });
  });
});

/** Logs in to a service that gives this answer; a key of another login is kept before. */
async function logInAt(answer: Behaviour, ...flags: readonly string[]): Promise<Ran & { readonly requests: number }> {
  const server = await serve([answer]);
  const world = createTestWorld();
  await logIn(world, '--base-url', 'https://before.test');
  const stdin = createTestWorld({ stdin: KEY }).stdin;
  const argv = ['auth', 'login', '--with-key', '--retries', '0', '--base-url', server.url, ...flags];
  const ran = await berthIn({ ...world, stdin }, argv);
  return { ...ran, requests: server.seen.length };
}

describe('a login asks the service about the key', () => {
  test.each([
    ['accepts it', json({ delegations: [] })],
    ['knows it, and does not let it read this', problem(403, 'access denied')],
  ])('and keeps it when the service %s', async (_, answer) => {
    const ran = await logInAt(answer);
    expect([ran.code, ran.requests], ran.err).toEqual([0, 1]);
    expect(kept(ran.world)).toMatchObject({
      'api-key': KEY,
      'base-url': expect.stringContaining('127.0.0.1') as string,
    });
  });

  test.each<[string, Behaviour, number, RegExp]>([
    ['it is refused', problem(401, 'invalid bearer token'), 3, /does not accept this key.*invalid bearer token/],
    ['the service fails', problem(503, 'later'), 7, /could not be checked: the service answered 503[^]*--no-check/],
    ['the connection breaks', reset, 7, /could not be checked[^]*--no-check/],
    ['something else answers', json({ hello: 1 }), 7, /could not be checked[^]*--no-check/],
    ['nothing is there', problem(404, 'no'), 4, /could not be checked: the service answered 404[^]*--no-check/],
  ])('and keeps nothing when %s', async (_, answer, code, says) => {
    const ran = await logInAt(answer);
    expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(says)]);
    expect(ran.err).toContain('Nothing was kept');
    expect(ran.err).not.toContain(KEY);
    expect(kept(ran.world)).toEqual({ 'api-key': KEY, 'base-url': 'https://before.test' });
  });

  test('but not with --no-check, which keeps it without a request', async () => {
    const ran = await logInAt(problem(401, 'no'), '--no-check');
    expect([ran.code, ran.requests]).toEqual([0, 0]);
  });

  test('with the key that was typed, and not with one of the environment', async () => {
    const server = await serve([json({ delegations: [] })]);
    const env = { BERTH_API_KEY: 'key-of-the-environment', BERTH_BASE_URL: server.url };
    const ran = await berth(['auth', 'login', '--with-key'], { env, stdin: KEY });
    expect([ran.code, server.seen.map(({ headers }) => headers.authorization)]).toEqual([0, [`Bearer ${KEY}`]]);
    expect(ran.err).toContain('BERTH_API_KEY is set and used first: unset it, or pass --profile default.');
  });
});

test.each([
  [401, 'The key was not accepted. It comes from BERTH_API_KEY, which goes before the key of a profile'],
  [403, 'The key is valid but may not do this. It comes from BERTH_API_KEY, which goes before the key of a profile'],
])('a key of a variable that is answered with %i names the variable, and no login', async (status, says) => {
  const server = await serve([problem(status, 'no')]);
  const ran = await berth(['pods', 'list'], { env: { BERTH_API_KEY: KEY, BERTH_BASE_URL: server.url } });
  expect([ran.code, ran.err]).toEqual([3, expect.stringContaining(`${says}: correct this variable, or unset it.`)]);
  expect(ran.err).not.toContain('auth login');
});

test.each([
  ['auth', 'logout'],
  ['auth', 'logout', '--forget'],
  ['auth', 'status'],
])('berth %s %s of a profile that is not there ends 2 and says so', async (...argv) => {
  const ran = await berth([...argv, '--profile', 'nope']);
  expect([ran.code, ran.out, ran.err]).toEqual([2, '', expect.stringMatching(/there is no profile "nope"/)]);
});

test.each([
  ['get', 'api-key'],
  ['set', 'api-key', KEY],
  ['unset', 'api-key'],
])('berth config %s api-key names berth auth, and never the key', async (...argv) => {
  const ran = await berth(['config', ...argv]);
  expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(/berth auth login/)]);
  expect(ran.err).not.toContain(KEY);
});

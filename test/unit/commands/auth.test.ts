import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { berth, berthIn, type Ran } from '../../support/worlds/run-berth.ts';
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
  await berthIn({ ...world, stdin: createTestWorld({ stdin: KEY }).stdin }, ['auth', 'login', '--with-key', ...flags]);

const queueOf = async (world: TestWorld): Promise<string> =>
  (await berthIn(world, ['config', 'get', 'queue-url'])).out.trim();

describe('a login', () => {
  test('stores the given addresses, and uses the base address for the queue until a queue address is given', async () => {
    const world = createTestWorld();
    expect((await logIn(world, '--base-url', 'https://one.test')).err).toMatch(
      /The queue API is taken to be at the same/,
    );
    expect(kept(world)).toEqual({ 'api-key': KEY, 'base-url': 'https://one.test' });
    expect(await queueOf(world)).toBe('https://one.test');
    await logIn(world, '--base-url', 'https://two.test');
    expect(await queueOf(world)).toBe('https://two.test');
    expect((await logIn(world, '--queue-url', 'https://q.test')).err).not.toMatch(/taken to be/);
    expect(kept(world)).toEqual({ 'api-key': KEY, 'base-url': 'https://two.test', 'queue-url': 'https://q.test' });
  });

  test.each(['--base-url', '--queue-url', '--rest-url'])(
    'with %s in the clear ends 2 and keeps nothing',
    async (flag) => {
      const world = createTestWorld();
      const ran = await logIn(world, '--base-url', 'https://api.example.com', flag, 'http://api.example.com');
      expect(ran.code).toBe(2);
      expect(ran.err).toMatch(/plain http to another machine[^]*Use https/);
      expect(() => kept(world)).toThrow(/ENOENT/);
    },
  );

  test('at an address that ends in a version prints a warning', async () => {
    const ran = await logIn(createTestWorld(), '--base-url', 'https://api.example.com/v2/');
    expect([ran.code, ran.err]).toEqual([0, expect.stringMatching(/base-url ends in a version/)]);
  });

  test('on a terminal asks for one address, then for the key, which is never shown', async () => {
    const world = createTestWorld({ tty: true });
    const ran = berthIn(world, ['auth', 'login']);
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

test('config set refuses a plain http address too', async () => {
  const ran = await berth(['config', 'set', 'base-url', 'http://api.example.com']);
  expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(/plain http to another machine/)]);
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

test('config unset says what it did', async () => {
  expect((await berth(['config', 'unset', 'timeout'])).err).toMatch(/^timeout is unset now in profile default\.\n$/);
});

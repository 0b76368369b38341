import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { berthIn } from '../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS, type TestWorld } from '../../support/worlds/test-world.ts';
import { json, serve } from '../../support/servers/scripted-server.ts';

const ACCESS = 'access-of-the-profile';
const SECRET = 'secret-of-the-profile/+=';

const fileOf = ({ directory }: TestWorld): string => path.join(directory, '.config', 'berth', 'config.json');

const kept = (world: TestWorld): unknown =>
  (JSON.parse(readFileSync(fileOf(world), 'utf8')) as { profiles: Record<string, unknown> }).profiles['default'];

const logIn = (world: TestWorld, ...flags: readonly string[]) =>
  berthIn({ ...world, stdin: createTestWorld({ stdin: `${ACCESS}\n${SECRET}\n` }).stdin }, [
    'auth',
    'login',
    '--storage',
    '--with-key',
    ...flags,
  ]);

describe('auth login --storage', () => {
  it('keeps access key, secret and address in the profile, which only the user can read', async () => {
    const world = createTestWorld();
    const ran = await logIn(world, '--storage-url', 'https://files-{data-center}.example.com');
    expect(ran.code, ran.err).toBe(0);
    expect(kept(world)).toEqual({
      'storage-access-key': ACCESS,
      'storage-secret': SECRET,
      'storage-url': 'https://files-{data-center}.example.com',
    });
    expect(statSync(fileOf(world)).mode & 0o777).toBe(0o600);
    for (const line of ['auth list --json', 'auth status', 'config list --json', 'auth logout --storage']) {
      const { out, err } = await berthIn(world, line.split(' '));
      for (const part of [ACCESS, SECRET]) expect(out + err, line).not.toContain(part);
    }
    expect(kept(world)).toEqual({ 'storage-url': 'https://files-{data-center}.example.com' });
  });

  it('asks for both without showing them', async () => {
    const world = createTestWorld({ tty: true });
    const running = berthIn(world, ['auth', 'login', '--storage']);
    const asked = (what: string): Promise<void> => expect.poll(() => world.err(), { interval: 5 }).toContain(what);
    await asked('Access key');
    await world.type(ACCESS, KEYS.enter);
    await asked('Secret');
    await world.type(SECRET, KEYS.enter);
    const ran = await running;
    expect(ran.code, ran.err).toBe(0);
    expect(ran.out + ran.err).not.toContain(ACCESS);
    expect(ran.out + ran.err).not.toContain(SECRET);
    expect(kept(world)).toEqual({ 'storage-access-key': ACCESS, 'storage-secret': SECRET });
  });

  it.each([
    ['', 2],
    ['only-one-line\n', 2],
    ['one\ntwo\nthree\n', 2],
    ['with space\nsecret\n', 3],
  ])('refuses what is no key: %j', async (stdin, code) => {
    const world = createTestWorld({ stdin });
    const ran = await berthIn(world, ['auth', 'login', '--storage', '--with-key']);
    expect(ran.code).toBe(code);
    for (const part of stdin.split('\n').filter((line) => line.length > 5)) expect(ran.err).not.toContain(part);
  });

  it.each([
    [['--local'], 2, 'needs no login'],
    [['--storage-url', 'http://example.com'], 2, 'https'],
    [[], 2, '--with-key'],
  ])('is refused: %j', async (flags, code, says) => {
    const ran = await berthIn(createTestWorld(), ['auth', 'login', '--storage', ...flags]);
    expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(says)]);
  });
});

/** A service with one volume, and what its storage address receives. */
async function service() {
  const volume = { id: 'vol-1', name: 'data', size: 10, dataCenter: 'EU-1' };
  // A list of volumes, and also one volume.
  const api = await serve([json({ networkVolumes: [volume], ...volume })]);
  const storage = await serve([json({}, 404)]);
  return { api, storage };
}

describe('the key of a profile', () => {
  it('is sent to the storage address of the profile, and not to another one', async () => {
    const { api, storage } = await service();
    const env = { BERTH_BASE_URL: api.url, BERTH_API_KEY: 'key-0123456789-WXYZ', BERTH_RETRIES: '0' };
    const world = createTestWorld({ env });
    await logIn(world, '--storage-url', storage.url);
    await berthIn(world, ['files', 'ls', 'data:x/y']);
    expect(storage.seen.map(({ headers }) => String(headers['authorization']))).toEqual(
      expect.arrayContaining([expect.stringContaining(`Credential=${ACCESS}/`)]),
    );
    const other = await serve([json({}, 404)]);
    const ran = await berthIn(world, ['files', 'ls', 'data:', '--storage-url', other.url]);
    expect([ran.code, other.seen.length]).toEqual([2, 0]);
    expect(ran.err).toContain('is sent only to the storage-url that the profile keeps');
    expect(api.seen.map(({ headers }) => JSON.stringify(headers)).join()).not.toContain(ACCESS);
  });
});

test('without a key of the files, its own variables and the command that keeps one are named', async () => {
  const { api, storage } = await service();
  const env = { BERTH_BASE_URL: api.url, BERTH_API_KEY: 'key-0123456789-WXYZ', BERTH_STORAGE_URL: storage.url };
  const { code, err } = await berthIn(createTestWorld({ env }), ['files', 'ls', 'data:']);
  expect([code, storage.seen]).toEqual([3, []]);
  expect(err).toMatch(
    /BERTH_STORAGE_ACCESS_KEY.*berth auth login --storage|berth auth login --storage.*BERTH_STORAGE_ACCESS_KEY/s,
  );
  expect(err).not.toContain('s3:');
});

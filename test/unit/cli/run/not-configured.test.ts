import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { json, KEY, problem, serve } from '../../../support/servers/scripted-server.ts';
import { works } from '../../../support/worlds/expect-run.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../../support/worlds/test-world.ts';

const ADDRESS = { BERTH_BASE_URL: 'https://api.example.com' };

/** A world whose settings file has this text. */
function worldWithFile(text: string, env: Readonly<Record<string, string>>): { world: TestWorld; file: string } {
  const world = createTestWorld({ env });
  const folder = join(world.directory, '.config', 'berth');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'config.json');
  writeFileSync(file, text);
  return { world, file };
}

describe('a service that is not configured', () => {
  test.each<[string, Readonly<Record<string, string>>, readonly string[], number, RegExp]>([
    ['nothing at all', {}, [], 3, /berth auth login.*--local/],
    ['an address without a key', ADDRESS, [], 3, /berth auth login.*--local/],
    ['an empty key', { ...ADDRESS, BERTH_API_KEY: '' }, [], 3, /berth auth login/],
    ['a key without an address', { BERTH_API_KEY: KEY }, [], 2, /BERTH_BASE_URL/],
    ['a profile that is not there', {}, ['--profile', 'nope'], 2, /"nope"/],
    ['a bad timeout', { ...ADDRESS, BERTH_API_KEY: KEY, BERTH_TIMEOUT: 'soon' }, [], 2, /BERTH_TIMEOUT/],
  ])('%s: %j %j ends %i', async (_, env, flags, exit, says) => {
    const { code, err } = await berth([...flags, 'pods', 'list'], { env });
    expect([code, err.replaceAll('\n', ' ')]).toEqual([exit, expect.stringMatching(says)]);
    expect(err).not.toContain(KEY);
  });

  test('a broken settings file ends 14 where it is needed, and stays; variables that say all do without it', async () => {
    const { url, seen } = await serve([json({ id: 'p1' })]);
    for (const [env, exit] of [
      [{ BERTH_API_KEY: KEY }, 14],
      [{ BERTH_API_KEY: `${KEY}\n`, BERTH_BASE_URL: url }, 0],
    ] as const) {
      const { world, file } = worldWithFile('{broken', env);
      const { code, err } = await berthIn(world, ['pods', 'get', 'p1']);
      expect([code, readFileSync(file, 'utf8')], err).toEqual([exit, '{broken']);
      if (exit === 14) expect(err).toContain('config.json');
    }
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`]);
  });

  test('a dry run needs no key', async () => {
    expect((await berth(['api', 'POST', '/v2/x', '--dry-run'], { env: ADDRESS })).code).toBe(0);
  });
});

test.each([
  ['a long wait on a terminal', true, '60', 'rate limited: trying again in 1m (1 of 3)\n'],
  ['no short one', true, '1', ''],
  ['none that nobody watches', false, '60', ''],
])('a note is printed about %s', async (_, tty, retryAfter, said) => {
  const limited = problem(429, 'slow down', { 'retry-after': retryAfter });
  expect((await works(['pods', 'get', 'p1', '-o', 'id'], [limited, json({ id: 'p1' })], { tty })).err).toBe(said);
});

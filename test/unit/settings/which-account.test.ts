/** Which account a command line is for, where flags, variables and profiles could each name one. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { json, problem, serve } from '../../support/servers/scripted-server.ts';
import { berthIn } from '../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../support/worlds/test-world.ts';

const PODS: Parameters<typeof serve>[0][number] = (to) => {
  (to.arrival.url.startsWith('/v2/pods/') ? problem(404, 'not found') : json({ pods: [] }))(to);
};

/** A world with a profile `default`, and two services: `own` is that of the profile. */
async function withProfile() {
  const [own, other] = [await serve([PODS]), await serve([PODS])];
  const world = createTestWorld();
  const folder = join(world.directory, '.config', 'berth');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const one = { 'base-url': own.url, 'api-key': 'sk-of-the-profile' };
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ profiles: { default: one, one } }), { mode: 0o600 });
  return { world, own, other };
}

const run = (world: TestWorld, env: Readonly<Record<string, string>>, ...argv: readonly string[]) =>
  berthIn({ ...world, env: { ...world.env, ...env } }, argv);

describe('two flags that name different services', () => {
  it.each([
    ['--local --profile one', '--local and --profile exclude each other'],
    ['--profile one --local', '--local and --profile exclude each other'],
    ['--base-url http://127.0.0.1:1 --local', '--local and --base-url exclude each other'],
    ['--local --queue-url http://127.0.0.1:1', '--local and --queue-url exclude each other'],
  ])('%s is refused', async (flags, says) => {
    const { world, own } = await withProfile();
    const ran = await run(world, {}, ...flags.split(' '), 'pods', 'list');
    expect([ran.code, ran.out, ran.err]).toEqual([2, '', expect.stringContaining(says)]);
    expect(own.seen).toHaveLength(0);
  });

  it('--local goes with its own profile, and before variables', async () => {
    const { world } = await withProfile();
    expect((await run(world, {}, '--local', '--profile', 'local', 'pods', 'list')).code).toBe(0);
    expect((await run(world, { BERTH_PROFILE: 'one' }, '--local', 'pods', 'list')).code).toBe(0);
  });
});

test('a printed command names the address of a variable, which another shell does not have', async () => {
  const { world, own, other } = await withProfile();
  const missing = await run(world, { BERTH_BASE_URL: other.url, BERTH_API_KEY: 'sk-of-the-other' }, 'pods', 'get', 'x');
  expect(missing.err).toContain(`berth --base-url ${other.url} pods list`);
  // In a shell without the variables, the key of the profile is not sent there, and nothing to the profile's service.
  const pasted = await run(world, {}, '--base-url', other.url, 'pods', 'list');
  expect([pasted.code, own.seen.length]).toEqual([3, 0]);
});

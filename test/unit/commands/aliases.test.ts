import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { berth, berthIn } from '../../support/worlds/run-berth.ts';
import { createTestWorld, type TestWorld } from '../../support/worlds/test-world.ts';

const LOCAL = { env: { BERTH_LOCAL: '1' } };

const configOf = ({ directory }: TestWorld): string => join(directory, '.config/berth/config.json');

async function worldWith(name: string, text: string): Promise<TestWorld> {
  const world = createTestWorld(LOCAL);
  expect(await berthIn(world, ['config', 'set', `alias.${name}`, text])).toMatchObject({ code: 0, out: '' });
  return world;
}

describe('ls and rm', () => {
  it.each([
    ['pods', 'pods'],
    ['volumes', 'volumes'],
    ['account ssh-keys', 'account ssh-keys'],
    ['registries delegations', 'registries delegations'],
  ])('%s ls lists', async (noun) => {
    const short = await berth([...noun.split(' '), 'ls', '-o', 'id'], LOCAL);
    const long = await berth([...noun.split(' '), 'list', '-o', 'id'], LOCAL);
    expect(short).toMatchObject({ code: 0, err: '', out: long.out });
  });

  it.each([
    [['volumes', 'rm', 'scratch'], 'DELETE'],
    [['pods', 'rm', 'pod-broken'], 'DELETE'],
    [['registries', 'delegations', 'rm', 'dlg-images'], 'DELETE'],
  ])('%j deletes', async (argv, method) => {
    const { code, out } = await berth([...argv, '--dry-run'], LOCAL);
    expect(code).toBe(0);
    expect(out).toContain(`"method": "${method}"`);
  });

  it('are completed and explained as the verbs that they stand for', async () => {
    const { out } = await berth(['__complete', 'fish', 'pods', 'ls', '--older']);
    expect(out).toContain('--older-than');
    expect((await berth(['pods', 'ls', '--help'])).out).toBe((await berth(['pods', 'list', '--help'])).out);
    expect((await berth(['help', 'pods', 'ls'])).out).toBe((await berth(['pods', 'list', '--help'])).out);
  });
});

describe('an alias of the user', () => {
  it('stands for the words of a command, and takes more words', async () => {
    const world = await worldWith('busy', 'pods list --status RUNNING -o id');
    const { out } = await berthIn(world, ['pods', 'list', '--status', 'RUNNING', '-o', 'id']);
    expect(out).not.toBe('');
    expect(await berthIn(world, ['busy'])).toMatchObject({ code: 0, out });
    expect(await berthIn(world, ['--timeout', '5s', 'busy'])).toMatchObject({ code: 0, out });
    expect((await berthIn(world, ['busy', '--json'])).code).toBe(2);
    expect((await berthIn(world, ['busy', '--cloud', 'COMMUNITY'])).out).not.toBe(out);
  });

  it.each([
    [`jobs run echo --sync --input '{"a": "b c"}' --jq .output`, '{\n  "a": "b c"\n}\n'],
    [String.raw`jobs run echo --sync --input {\"a\":1} --jq .output.a`, '1\n'],
    [String.raw`jobs run echo --sync --input "{\"a\":\"$HOME\"}" --jq .output.a --raw`, '$HOME\n'],
  ])('is quoted as in a shell: %s', async (text, out) => {
    expect(await berthIn(await worldWith('say', text), ['say'])).toMatchObject({ code: 0, out });
  });

  it('is shown, printed and removed with the settings', async () => {
    const world = await worldWith('busy', 'pods list');
    expect((await berthIn(world, ['config', 'list'])).out).toMatch(/alias\.busy\s+pods list\s+config/);
    expect((await berthIn(world, ['config', 'get', 'alias.busy'])).out).toBe('pods list\n');
    expect(statSync(configOf(world)).mode & 0o777).toBe(0o600);
    await berthIn(world, ['config', 'unset', 'alias.busy']);
    expect((await berthIn(world, ['config', 'get', 'alias.busy'])).out).toBe('');
    expect((await berthIn(world, ['busy'])).code).toBe(2);
    expect(readFileSync(configOf(world), 'utf8')).not.toContain('alias');
  });

  it('is completed', async () => {
    const world = await worldWith('busy', 'pods list --status RUNNING');
    expect((await berthIn(world, ['__complete', 'fish', 'bu'])).out).toContain('busy\tpods list --status RUNNING\n');
    expect((await berthIn(world, ['__complete', 'fish', 'busy', '--older'])).out).toContain('--older-than');
  });

  it.each([
    ['the name of a command', 'pods', 'volumes list', /cannot be the name/],
    ['a name that is a flag', '-x', 'pods list', /cannot be the name/],
    ['another alias', 'two', 'one --json', /is not a command of berth/],
    ['nothing', 'none', '', /is not a command of berth/],
    ['a pipe', 'p', 'pods list | wc -l', /is not a command of berth/],
    ['a substitution', 'p', 'pods get $(cat x)', /is not a command of berth/],
    ['an open quote', 'p', 'pods get "a', /is not a command of berth/],
  ])('is refused for %s', async (_, name, text, message) => {
    const { code, err } = await berth(['config', 'set', `alias.${name}`, text], LOCAL);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });

  it('never takes the place of a command, whatever the file says', async () => {
    const world = await worldWith('busy', 'pods list');
    const file = JSON.parse(readFileSync(configOf(world), 'utf8')) as { aliases: Record<string, string> };
    writeFileSync(
      configOf(world),
      JSON.stringify({ ...file, aliases: { pods: 'volumes list', a: 'b', b: 'pods list' } }),
    );
    expect((await berthIn(world, ['pods', 'list', '-o', 'id'])).out).toContain('pod-train');
    expect(await berthIn(world, ['a'])).toMatchObject({ code: 2, out: '' });
  });

  it('does not keep a broken file from a command that does not need it', async () => {
    const world = await worldWith('busy', 'pods list');
    writeFileSync(configOf(world), '{"aliases": 1}');
    expect((await berthIn(world, ['pods', 'list'])).code).toBe(0);
    expect((await berthIn(world, ['busy'])).code).toBe(14);
  });
});

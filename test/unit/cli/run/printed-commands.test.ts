import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { berth as command, type CommandLine, NO_WORDS, printed, sentence } from '../../../../src/core/message.ts';
import { json, pointedAt, problem, serve } from '../../../support/servers/scripted-server.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { berth, berthIn } from '../../../support/worlds/run-berth.ts';
import { createTestWorld } from '../../../support/worlds/test-world.ts';

let folder: string;

beforeEach(() => {
  folder = temporaryDirectory();
  const path = join(folder, 'berth');
  writeFileSync(path, `#!/bin/sh\nfor word do printf '%s\\0' "$word"; done > '${join(folder, 'argv')}'\n`);
  chmodSync(path, 0o755);
});

/** The words that a program `berth` gets when a line is run by a new shell, where nothing else may happen. */
function runInShell(line: string): readonly string[] {
  const empty = join(folder, 'empty');
  mkdirSync(empty, { recursive: true });
  execFileSync('/bin/sh', ['-c', line], { env: { PATH: `${folder}:/bin:/usr/bin` }, cwd: empty });
  return readFileSync(join(folder, 'argv'), 'utf8').split('\0').slice(0, -1);
}

const inShell = (line: CommandLine, ...account: string[]): readonly string[] =>
  runInShell(printed(line, { accountWords: { ...NO_WORDS, account } }));

/** The command after a text in what was printed, to the end of its line or sentence. */
const commandAfter = (text: string, output: string): string =>
  new RegExp(`${text}:? (berth [^\n]*?)\\.?(?:\n|$)`).exec(output)?.[1] ?? '';

describe('a printed command in a new shell', () => {
  it.each([
    'a b',
    "it's",
    'say "no"',
    '$(touch hit) `touch hit` $HOME',
    'a;b & c | d > e < f',
    'back\\slash\\',
    '~',
    '#x',
    '=ls',
    '*?[a]{b,c}',
    '!!',
    'two\nlines',
    'tab\there',
    '\u001b[31mred\u0007',
    'to the \u202eleft',
    '100%s',
    'ends.',
    'Zürich 東京',
    '',
  ])('has the value as it was: %j', (value) => {
    const line = command`pods get ${value} --for ${value}`;
    expect(inShell(line, '--profile', 'other')).toEqual(['--profile', 'other', 'pods', 'get', value, '--for', value]);
    // oxlint-disable-next-line no-control-regex -- what a terminal obeys
    expect(printed(line, { accountWords: NO_WORDS })).not.toMatch(/[\u0000-\u001f\u007f\u202e]/);
  });

  it('does not take a value that begins with a dash for a flag', () => {
    expect(inShell(command`pods get ${'-rf'} --watch`, '--local')).toEqual([
      '--local',
      'pods',
      'get',
      '--watch',
      '--',
      '-rf',
    ]);
    expect(inShell(command`pods list --match ${'--all'}`)).toEqual(['pods', 'list', '--match=--all']);
    expect(inShell(command`pods wait ${['a', '--b']} --for RUNNING`)).toEqual([
      'pods',
      'wait',
      '--for',
      'RUNNING',
      '--',
      'a',
      '--b',
    ]);
  });

  it('keeps text of the sentence outside of the command', () => {
    const said = sentence`Pipe it in: ${command`auth login --with-key`} < key.txt`;
    expect(printed(said, { accountWords: { ...NO_WORDS, account: ['--profile', 'a'] } })).toBe(
      'Pipe it in: berth --profile a auth login --with-key < key.txt',
    );
  });

  it('has no flags of the account where it names its own, or is of none', () => {
    expect(inShell(command`auth login --profile ${'b'}`, '--profile', 'a')).toEqual([
      'auth',
      'login',
      '--profile',
      'b',
    ]);
    expect(inShell(command`help selectors`, '--profile', 'a')).toEqual(['help', 'selectors']);
    expect(inShell(command`local serve`, '--profile', 'a')).toEqual(['local', 'serve']);
  });
});

describe('a command that a run prints is for the account of the run', () => {
  /** A world with a profile `default`, which allows all, and a profile `other`, which may only read. */
  async function profiles() {
    const { url } = await serve([
      (to) => {
        (to.arrival.url.startsWith('/v2/pods/') ? problem(404, 'not found') : json({ pods: [] }))(to);
      },
    ]);
    const world = createTestWorld();
    mkdirSync(join(world.directory, '.config', 'berth'), { recursive: true, mode: 0o700 });
    const values = { 'base-url': url, 'api-key': 'sk-0123456789' };
    writeFileSync(
      join(world.directory, '.config', 'berth', 'config.json'),
      JSON.stringify({ current: 'default', profiles: { default: values, other: { ...values, access: 'read' } } }),
      { mode: 0o600 },
    );
    return { world, url };
  }

  it('with --profile: the refusal of a profile that may only read names the command that opens that profile', async () => {
    const { world } = await profiles();
    const { code, err } = await berthIn(world, ['--profile', 'other', 'pods', 'stop', 'x', '--yes']);
    expect(code).toBe(3);
    const words = runInShell(commandAfter('for the profile', err));
    expect(words).toEqual(['--profile', 'other', 'config', 'set', 'access', 'write']);
    expect((await berthIn(world, words)).code).toBe(0);
    const access = (await berthIn(world, ['--profile', 'other', 'config', 'get', 'access'])).out;
    expect([access.trim(), (await berthIn(world, ['config', 'get', 'access'])).out.trim()]).toEqual(['write', 'full']);
  });

  it('with --profile: a 404, and the hint of its JSON', async () => {
    const { world } = await profiles();
    const { err } = await berthIn(world, ['--profile', 'other', 'pods', 'get', 'x y']);
    expect(runInShell(commandAfter('Run', err))).toEqual(['--profile', 'other', 'pods', 'list']);
    const { error } = JSON.parse((await berthIn(world, ['--profile', 'other', 'pods', 'get', 'x', '--json'])).err) as {
      readonly error: { readonly hint: string };
    };
    expect(error.hint).toContain('berth --profile other pods list');
  });

  it('with --local: a wait and an explanation', async () => {
    const world = createTestWorld({ tty: { stderr: true } });
    const waited = await berthIn(world, ['--local', 'pods', 'wait', 'pod-stopped', '--wait-timeout', '1s']);
    expect(runInShell(commandAfter('Run', waited.err))).toEqual(['--local', 'pods', 'start', 'pod-stopped', '--wait']);
    const { out } = await berthIn(world, ['--local', 'pods', 'explain', 'pod-broken', '--json']);
    expect((JSON.parse(out) as { cure: string[] }).cure[0]).toBe('berth --local pods logs pod-broken');
  });

  it('with BERTH_PROFILE or BERTH_LOCAL, which another shell does not have: their flags', async () => {
    const { world } = await profiles();
    const run = async (env: Readonly<Record<string, string>>, ...flags: readonly string[]) =>
      (await berthIn({ ...world, env: { ...world.env, ...env } }, [...flags, 'pods', 'get', 'x'])).err;
    expect(await run({ BERTH_PROFILE: 'other' })).toContain('berth --profile other pods list');
    expect(await run({ BERTH_LOCAL: '1' })).toContain('berth --local pods list');
    // What decides is what the next shell needs: the flag before the variable, the local service before the profile.
    expect(await run({ BERTH_LOCAL: '1', BERTH_PROFILE: 'other' })).toContain('berth --local pods list');
    expect(await run({ BERTH_LOCAL: '1' }, '--profile', 'other')).toContain('berth --profile other pods list');
    expect(await run({ BERTH_LOCAL: '0' })).toContain('berth pods list');
  });

  it('with --base-url: the address goes with it; the only service of the environment stays there', async () => {
    const { url } = await serve([json('{"title":"Not Found","status":404}', 404)]);
    const given = await berth(['--base-url', url, 'pods', 'get', 'x'], { env: { BERTH_API_KEY: 'sk-0123456789' } });
    expect(given.err).toContain(`berth --base-url ${url} `);
    const inherited = await berth(['pods', 'get', 'x'], { env: pointedAt(url) });
    expect(inherited.err).not.toContain('--base-url');
    expect(inherited.err).toMatch(/berth auth status|berth pods list/);
    const both = await berth(['pods', 'get', 'x'], { env: { ...pointedAt(url), BERTH_PROFILE: 'other' } });
    expect(both.err).toContain(`berth --profile other --base-url ${url} `);
  });
});

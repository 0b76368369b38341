import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { berth as command, type CommandLine, NO_WORDS, printed, sentence } from '../../../../src/core/message.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

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
    '100%s',
    'ends.',
    'Zürich 東京',
    '',
  ])('has the value as it was: %j', (value) => {
    const line = command`pods get ${value} --for ${value}`;
    expect(inShell(line, '--profile', 'other')).toEqual(['--profile', 'other', 'pods', 'get', value, '--for', value]);
  });

  it('shows control characters as escapes', () => {
    expect(printed(command`pods get ${'a\n\u001b[31m\u202eb'}`, { accountWords: NO_WORDS })).toBe(
      "berth pods get 'a'\\\\'n'\\\\'x1b[31m'\\\\'u202eb'",
    );
  });

  it('does not take a value that begins with a dash for a flag', () => {
    const words = (line: string): readonly string[] => line.split(' ');
    expect(inShell(command`pods get ${'-rf'} --watch`, '--local')).toEqual(words('--local pods get --watch -- -rf'));
    expect(inShell(command`pods list --match ${'--all'}`)).toEqual(words('pods list --match=--all'));
    expect(inShell(command`pods wait ${['a', '--b']} --for RUNNING`)).toEqual(
      words('pods wait --for RUNNING -- a --b'),
    );
  });

  it('keeps text of the sentence outside of the command', () => {
    const said = sentence`Pipe it in: ${command`auth login --with-key`} < key.txt`;
    expect(printed(said, { accountWords: { ...NO_WORDS, account: ['--profile', 'a'] } })).toBe(
      'Pipe it in: berth --profile a auth login --with-key < key.txt',
    );
  });

  it('has no flags of the account where it names its own, or is of none', () => {
    expect(inShell(command`auth login --profile ${'b'}`, '--profile', 'a').join(' ')).toBe('auth login --profile b');
    expect(inShell(command`help selectors`, '--profile', 'a')).toEqual(['help', 'selectors']);
    expect(inShell(command`local serve`, '--profile', 'a')).toEqual(['local', 'serve']);
  });
});

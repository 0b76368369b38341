import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { berth, cleanEnvironment, runProgram } from './support.ts';

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

const script = (name: string): string => path.resolve('completions', name);

interface Case {
  readonly line: string;
  readonly among: readonly string[];
  readonly never?: string;
}

const CASES: readonly Case[] = [
  { line: 'berth po', among: ['pods'], never: 'jobs' },
  { line: 'berth pods ', among: ['list', 'get'], never: 'revoke' },
  { line: 'berth jobs run --str', among: ['--stream'] },
  { line: 'berth --json registries delegations re', among: ['revoke'] },
  { line: 'berth pods list -o y', among: ['yaml'], never: 'json' },
  { line: 'berth completion z', among: ['zsh'], never: 'bash' },
  { line: 'berth volumes create --type H', among: ['HIGH_PERFORMANCE'] },
  { line: 'berth queue purge demo --prof', among: ['--profile'] },
];

async function offered(shell: 'bash' | 'fish', line: string): Promise<readonly string[]> {
  const env = { ...(await cleanEnvironment()), LINE: line };
  const code =
    shell === 'bash'
      ? `source ${script('berth.bash')}; read -ra COMP_WORDS <<<"$LINE"; [[ "$LINE" == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _berth; printf '%s\\n' "\${COMPREPLY[@]}"`
      : `source ${script('berth.fish')}; complete -C "$LINE"`;
  const { stdout, stderr } = await runProgram(
    shell,
    shell === 'bash' ? ['--norc', '-c', code] : ['--no-config', '-c', code],
    { env },
  );
  expect(stderr).toBe('');
  return stdout.split('\n').map((each) => each.split('\t')[0] ?? '');
}

describe.each(['bash', 'fish'] as const)('completion in %s', (shell) => {
  test.skipIf(!has(shell)).each(CASES)('$line', async ({ line, among, never }) => {
    const words = await offered(shell, line);
    expect(words).toEqual(expect.arrayContaining([...among]));
    if (never !== undefined) expect(words).not.toContain(never);
  });
});

describe('completion in zsh', () => {
  // A real completion needs an interactive line editor: what the script offers at each place is asked of it directly.
  test.skipIf(!has('zsh'))('offers the words of each place', async () => {
    const code = `compdef() { :; }; source ${script('berth.zsh')}; for at in "" pods "registries delegations"; do _berth_words "$at"; print -l -- $reply; done; _berth_values "volumes create|--type"; print -l -- $reply; _berth_values "pods list|-o"; print -l -- $reply`;
    const {
      stdout,
      stderr,
      code: ended,
    } = await runProgram('zsh', ['-f', '-c', code], { env: await cleanEnvironment() });
    expect({ stderr, ended }).toEqual({ stderr: '', ended: 0 });
    for (const each of ['pods:GPU and CPU containers', 'revoke:', 'HIGH_PERFORMANCE', 'yaml'])
      expect(stdout).toContain(each);
  });
});

test('--install writes the script where the shell finds it', async () => {
  const env = await cleanEnvironment();
  const { code, stdout } = await berth(['completion', 'fish', '--install'], { env });
  expect(code).toBe(0);
  expect(stdout.trim()).toBe(path.join(env['HOME'] ?? '', '.config/fish/completions/berth.fish'));
  expect(await readFile(stdout.trim(), 'utf8')).toBe(await readFile(script('berth.fish'), 'utf8'));
});

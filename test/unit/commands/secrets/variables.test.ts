import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { json, pointedAt, serve } from '../../../support/servers/scripted-server.ts';
import { createAccount, type Account } from '../../../support/worlds/local-account.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

async function withSecret(): Promise<Account> {
  const account = createAccount();
  const ran = await account('secrets create --name hf-token --value-stdin -o id', { stdin: 'value' });
  expect(ran.code, ran.err).toBe(0);
  return account;
}

describe('variables of files', () => {
  const written = (text: string): string => {
    const path = join(temporaryDirectory(), 'variables.env');
    writeFileSync(path, text);
    return path;
  };
  const flagOf = (path: string): string => `--env-from '${path}'`;
  const CREATE = 'pods create --name lab --cpu cpu-general --vcpu 2 --image example/web --dry-run --json';

  test.each(['pods create', 'plan'])('that give a name twice are refused by %s', async (command) => {
    const account = createAccount();
    const run = (flags: string) =>
      command === 'plan' ? account(`plan - ${flags}`, { stdin: 'kind: pod\n' }) : account(`${CREATE} ${flags}`);
    const [one, other] = [written('A=secret-1\nB=2\n'), written('A=secret-1\nC=1')];
    for (const files of [[one, other], [written('export A=secret-1\nB=2\nA="3"\n')]]) {
      const ran = await run(files.map(flagOf).join(' '));
      expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('--env-from gives A twice')]);
      expect(ran.err).not.toContain('secret-1');
    }
  });
});

describe('secrets in variables', () => {
  const CREATE = 'pods create --name lab --cpu cpu-general --vcpu 2 --image example/web --dry-run --json';
  const bodyOf = (out: string): unknown => (JSON.parse(out) as { body: { env: unknown } }).body.env;

  test('a reference is sent as the placeholder of the local service', async () => {
    const account = await withSecret();
    const ran = await account(`${CREATE} --env A=@secret:hf-token --env B=@secrets --env C=x@secret:hf-token`);
    expect(bodyOf(ran.out)).toEqual({ A: '{{ BERTH_SECRET_hf-token }}', B: '@secrets', C: 'x@secret:hf-token' });
  });

  test('the prefix is that of the profile, and a reference without one is refused', async () => {
    const server = await serve([json({ secrets: [{ id: 'sec-1', name: 'hf-token' }] })]);
    const argv = [...CREATE.split(' '), '--env', 'A=@secret:hf-token'];
    const ran = await berth(argv, { env: { ...pointedAt(server.url), BERTH_SECRET_PREFIX: 'PFX' } });
    expect(bodyOf(ran.out)).toEqual({ A: '{{ PFX_SECRET_hf-token }}' });
    const without = await berth(argv, { env: pointedAt(server.url) });
    expect([without.code, without.err]).toEqual([2, expect.stringMatching(/config set secret-prefix(?! PREFIX)/m)]);
  });

  test.each(['@secret:', '@secret:a b', '@secret:1x', '@secret:{{'])('%s is refused', async (value) => {
    const ran = await berth(['--local', ...CREATE.split(' '), '--env', `A=${value}`]);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('takes the name of a secret')]);
  });

  test('--env-from reads a file of variables, and --env overrides it', async () => {
    const path = join(temporaryDirectory(), 'variables');
    writeFileSync(path, '# comment\nA=1\nexport B="two words"\nC=3\n');
    const ran = await berth(['--local', ...CREATE.split(' '), '--env-from', path, '--env', 'C=4']);
    expect(bodyOf(ran.out)).toEqual({ A: '1', B: 'two words', C: '4' });
  });

  test('a line of the file that is no variable is refused, and so is a file that is not there', async () => {
    const path = join(temporaryDirectory(), 'variables');
    writeFileSync(path, 'A=1\nbroken line\nB=2\n');
    const wrong = await berth(['--local', ...CREATE.split(' '), '--env-from', path]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining(', line 2: ')]);
    const missing = await berth(['--local', ...CREATE.split(' '), '--env-from', `${path}.missing`]);
    expect(missing.code).toBe(14);
  });
});

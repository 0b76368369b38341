import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

const WORK = { 'base-url': 'https://api.example.com', 'api-key': 'key-of-work-1234', access: 'read' };
const GOOD = JSON.stringify({ version: 1, current: 'work', profiles: { work: WORK } });

/** A folder of settings with this text in it. */
function settingsWith(text: string, mode = 0o600): Readonly<Record<string, string>> {
  const folder = temporaryDirectory();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'config.json');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return { BERTH_CONFIG_DIR: folder };
}

test.each<readonly [string, readonly string[], () => Readonly<Record<string, string>>]>([
  ['a profile of a service elsewhere', ['--profile', 'work'], () => settingsWith(GOOD)],
  ['a profile that does not exist', ['--profile', 'nowhere'], () => settingsWith(GOOD)],
  ['a profile that only reads', [], () => settingsWith(GOOD)],
  ['a broken file of profiles', ['--profile', 'work'], () => settingsWith('{broken')],
  ['a file of profiles that others may write', ['--profile', 'work'], () => settingsWith(GOOD, 0o666)],
  ['an address that is none', ['--base-url', 'ftp://x'], () => ({})],
  ['an address elsewhere', ['--base-url', 'https://api.example.com'], () => ({})],
  ['a wrong time', ['--timeout', 'soon'], () => ({})],
  ['a wrong number of retries', ['--retries', 'many'], () => ({})],
  ['a wrong format', ['-o', 'nonsense'], () => ({})],
  [
    'wrong variables',
    [],
    () => ({ BERTH_TIMEOUT: 'x', BERTH_ACCESS: 'x', BERTH_OUTPUT: 'x', BERTH_LOCAL: 'x', BERTH_QUIET: 'x' }),
  ],
  ['a key that is none', [], () => ({ BERTH_API_KEY: 'a b' })],
])('--help is shown with %s', async (_, flags, envOf) => {
  const env = envOf();
  for (const line of ['local reset', 'local', 'local clock advance', 'pods', 'pods create', 'auth login']) {
    const ran = await berth([...flags, ...line.split(' '), '--help'], { env });
    expect([ran.code, ran.out, ran.err], ran.err).toEqual([0, expect.stringContaining(`berth ${line}`), '']);
  }
});

test('--help --json is shown with another format beside it', async () => {
  const ran = await berth(['pods', 'list', '--help', '--json', '-o', 'csv']);
  expect([ran.code, JSON.parse(ran.out)], ran.err).toEqual([0, expect.anything()]);
});

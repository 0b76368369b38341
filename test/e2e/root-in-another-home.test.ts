import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { berth, cleanEnvironment, temporaryFolder, type Environment } from './support.ts';

// What root creates in the home of another user would keep that user out, as after `sudo -E` or in a container.

const isRoot = process.geteuid?.() === 0;
const ANOTHER_USER = 65_534;

test.skipIf(!isRoot).each([
  ['HOME alone', () => ({})],
  [
    'HOME and XDG_* below it',
    (home: string) => ({
      XDG_CONFIG_HOME: path.join(home, 'settings'),
      XDG_DATA_HOME: path.join(home, 'data'),
      XDG_CACHE_HOME: path.join(home, 'cache'),
    }),
  ],
])('root uses its own home and leaves nothing in that of another user: %s', async (_, variables) => {
  const home = await temporaryFolder();
  const { BERTH_CONFIG_DIR: __, BERTH_DATA_DIR: ___, XDG_CACHE_HOME: ____, ...clean } = await cleanEnvironment();
  const env: Environment = { ...clean, HOME: home, ...variables(home) };
  chownSync(home, ANOTHER_USER, ANOTHER_USER);
  const { stdout } = await berth(['config', 'list', '--json'], { env });
  expect(stdout).not.toContain(home);
  expect(readdirSync(home)).toEqual([]);
});

test.skipIf(!isRoot)('a folder in it that a variable of berth names is used, when it is of root', async () => {
  const home = await temporaryFolder();
  const folder = path.join(home, 'settings');
  mkdirSync(folder, { mode: 0o700 });
  chownSync(home, ANOTHER_USER, ANOTHER_USER);
  const env = await cleanEnvironment({ HOME: home, BERTH_CONFIG_DIR: folder });
  expect((await berth(['config', 'set', 'timeout', '5s'], { env })).code).toBe(0);
  chownSync(folder, ANOTHER_USER, ANOTHER_USER);
  const refused = await berth(['config', 'set', 'timeout', '6s'], { env });
  expect(refused.code).toBe(14);
  expect(refused.stderr).toContain('belongs to another user');
});

test.skipIf(!isRoot)('completion --install of root in the home of another user is refused', async () => {
  const home = await temporaryFolder();
  chownSync(home, ANOTHER_USER, ANOTHER_USER);
  const env = { ...(await cleanEnvironment()), HOME: home };
  const { code, stderr } = await berth(['completion', 'bash', '--install'], { env });
  expect([code, stderr]).toEqual([2, expect.stringContaining('is the home folder of another user')]);
  expect(readdirSync(home)).toEqual([]);
});

import { expect, it } from 'vitest';
import { OTHER_VARIABLES } from '../../../src/commands/help/topics.ts';
import { SETTINGS } from '../../../src/settings/settings-table.ts';
import { HOSTILE_UMASK, hostileEnvironment } from '../../support/environment/hostile-environment.mjs';
import { testEnvironment } from '../../support/environment/test-environment.ts';
import { temporaryDirectory } from '../../support/files/temporary-directory.ts';

it('of the environment of the caller, tests get the programs and what chooses tests', () => {
  const caller = hostileEnvironment({ PATH: '/bin', HOME: '/home', BERTH_E2E_NODE: '/node' }, temporaryDirectory());
  expect(testEnvironment(caller, '/a folder')).toEqual({
    PATH: '/bin',
    BERTH_E2E_NODE: '/node',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    TERM: 'xterm-256color',
    NODE_ENV: 'test',
    TMPDIR: '/a folder',
  });
});

it('the hostile environment sets every variable that berth reads, and no HOME', () => {
  const variables = hostileEnvironment({ HOME: '/home' }, temporaryDirectory());
  const read = [...SETTINGS, ...OTHER_VARIABLES].flatMap((row) => ('variable' in row ? [row.variable] : []));
  expect(read.filter((name) => variables[name] === undefined)).toEqual([]);
  expect(variables).not.toHaveProperty('HOME');
});

it('the hostile environment sets what other programs read: the terminal, languages, time zones, proxies and clients', () => {
  const variables = hostileEnvironment({}, temporaryDirectory());
  const names = ['TERM', 'COLUMNS', 'NO_COLOR', 'FORCE_COLOR', 'LANG', 'LC_ALL', 'LC_NUMERIC', 'TZ', 'PAGER', 'EDITOR'];
  const proxies = ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];
  const folders = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR'];
  const clients = ['AWS_ACCESS_KEY_ID', 'AWS_SESSION_TOKEN'];
  for (const name of [...names, ...proxies, ...folders, ...clients]) expect(variables).toHaveProperty(name);
  expect(variables['TERM']).toBe('dumb');
  expect(variables['TMPDIR']).toMatch(/(?=.* )(?=.*[^\u0020-\u007e])/);
  expect(HOSTILE_UMASK).toBe(0o077);
});

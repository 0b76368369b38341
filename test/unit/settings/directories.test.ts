import { describe, expect, it } from 'vitest';
import { directoryOf } from '../../../src/settings/directories.ts';

const around = { env: {}, platform: 'linux', home: '/home/ada', cwd: '/here' };

describe('directories', () => {
  it.each([
    [around, '/home/ada/.config/berth', '/home/ada/.local/share/berth'],
    [{ ...around, env: { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' } }, '/c/berth', '/d/berth'],
    [
      { ...around, env: { XDG_CONFIG_HOME: 'c', XDG_DATA_HOME: '' } },
      '/home/ada/.config/berth',
      '/home/ada/.local/share/berth',
    ],
    [{ ...around, env: { BERTH_CONFIG_DIR: 'c', BERTH_DATA_DIR: '/d', XDG_CONFIG_HOME: '/x' } }, '/here/c', '/d'],
    [
      { ...around, platform: 'darwin' },
      '/home/ada/Library/Application Support/berth',
      '/home/ada/Library/Application Support/berth',
    ],
    [
      { ...around, platform: 'win32', env: { APPDATA: '/r', LOCALAPPDATA: '/l', XDG_CONFIG_HOME: '/x' } },
      '/r/berth',
      '/l/berth',
    ],
    [{ ...around, platform: 'win32' }, '/home/ada/AppData/Roaming/berth', '/home/ada/AppData/Local/berth'],
  ])('of %j', (given, config, data) => {
    expect([directoryOf('config', given), directoryOf('data', given)]).toEqual([config, data]);
  });

  it('are refused without a home, and are never relative', () => {
    expect(() => directoryOf('config', { ...around, home: '' })).toThrow(/no home directory/);
    expect(directoryOf('config', { ...around, home: '', env: { BERTH_CONFIG_DIR: '/c' } })).toBe('/c');
  });
});

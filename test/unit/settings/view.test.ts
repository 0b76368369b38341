import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../../src/settings/settings-table.ts';
import { Settings } from '../../../src/settings/settings.ts';
import type { GlobalFlags } from '../../../src/settings/resolve.ts';
import { createTestWorld } from '../../support/worlds/test-world.ts';

const KEY = 'key-0123456789-WXYZ';
const FILE = JSON.stringify({
  current: 'work',
  profiles: {
    work: { 'base-url': 'https://work.example.com', 'api-key': KEY, timeout: '5s', 'api-key-file': 'ignored' },
    play: { 'base-url': 'https://play.example.com', 'api-key': 'play-key-00000001' },
  },
});

const readKeyFile = (path: string): Promise<string> => Promise.reject(new Error(`nothing here reads ${path}`));

function settings(file: string | undefined, env: Record<string, string> = {}, flags: GlobalFlags = {}): Settings {
  const world = createTestWorld();
  const folder = join(world.directory, '.config', 'berth');
  if (file !== undefined) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'config.json'), file);
  }
  const { directory, user } = world;
  return new Settings({ env, platform: 'linux', home: directory, cwd: directory, user }, flags, readKeyFile);
}

describe('the settings of a run', () => {
  it('come from the current profile', async () => {
    const found = settings(FILE);
    expect([found.profile, found.local, found.source('profile')]).toEqual(['work', false, 'profile']);
    expect([found.get('base-url'), found.source('base-url')]).toEqual(['https://work.example.com', 'profile']);
    expect([found.text('timeout'), found.text('retries'), found.get('rest-url')]).toEqual(['5s', '3', undefined]);
    expect(await found.key()).toMatchObject({ tail: 'WXYZ', source: 'profile' });
    expect(found.profileAddresses()).toEqual({ 'base-url': 'https://work.example.com' });
  });

  it('follow --profile and BERTH_PROFILE', async () => {
    expect(settings(FILE, {}, { profile: 'play' }).get('base-url')).toBe('https://play.example.com');
    expect((await settings(FILE, { BERTH_PROFILE: 'play' }).apiKey())?.reveal()).toBe('play-key-00000001');
    const missing = settings(FILE, { BERTH_PROFILE: 'nope' });
    expect([missing.get('base-url'), await missing.apiKey()]).toEqual([undefined, undefined]);
    expect(() => missing.requireProfile()).toThrow('there is no profile "nope"');
  });

  it('takes the key of files from the environment beside the profile that BERTH_PROFILE names', async () => {
    const storage = { BERTH_STORAGE_ACCESS_KEY: 'access', BERTH_STORAGE_SECRET: 'secret' };
    const found = settings(FILE, { BERTH_PROFILE: 'play', ...storage });
    expect((await found.apiKey())?.reveal()).toBe('play-key-00000001');
    expect(found.storageKey()).toMatchObject({ accessKeyId: 'access', source: 'environment' });
    expect(settings(FILE, storage, { profile: 'play' }).storageKey()).toBeUndefined();
  });

  it.each<[string, string | undefined, Record<string, string>, GlobalFlags, (string | undefined)[]]>([
    ['the profile', FILE, {}, {}, ['https://work.example.com', 'base-url']],
    ['the environment', FILE, { BERTH_BASE_URL: 'https://e.test' }, {}, ['https://e.test', 'base-url']],
    ['a flag', undefined, {}, { 'base-url': 'https://f.test' }, ['https://f.test', 'base-url']],
    ['nowhere', undefined, {}, {}, [undefined, undefined]],
    [
      'its own variable, whatever the base is',
      FILE,
      { BERTH_QUEUE_URL: 'https://q.test' },
      { 'base-url': 'https://f.test' },
      ['https://q.test', 'environment'],
    ],
    [
      'the base of the environment, and not from a profile, whose key may be another one',
      '{"profiles":{"default":{"queue-url":"https://q.test"}}}',
      { BERTH_BASE_URL: 'https://e.test' },
      {},
      ['https://e.test', 'base-url'],
    ],
  ])('have the queue where the management API is unless it is named: from %s', (_, file, env, flags, expected) => {
    const found = settings(file, env, flags);
    expect([found.get('queue-url'), found.source('queue-url')]).toEqual(expected);
    expect(found.profileAddresses()).not.toHaveProperty('rest-url');
  });

  it('have values of their own type: milliseconds, numbers and booleans', () => {
    const env = { BERTH_TIMEOUT: '1m', BERTH_RETRIES: '5', BERTH_NO_INPUT: 'yes' };
    const found = settings(undefined, env, { verbose: true });
    expect([found.get('timeout'), found.get('retries'), found.get('max-answer-bytes')]).toEqual([
      60_000, 5, 67_108_864,
    ]);
    expect([found.get('no-input'), found.get('verbose'), found.get('no-color')]).toEqual([true, true, false]);
    expect([found.text('timeout'), found.text('no-color')]).toEqual(['1m', undefined]);
  });

  it('are the local service’s with --local: no address, key or timeout of another profile', async () => {
    const found = settings(FILE, {}, { local: true });
    expect([found.profile, found.local, found.get('base-url'), found.text('timeout')]).toEqual([
      'local',
      true,
      undefined,
      '30s',
    ]);
    expect(await found.key()).toBeUndefined();
  });

  it('never contain the key as text', () => {
    const found = settings(FILE, { BERTH_API_KEY: KEY });
    for (const { name } of SETTINGS) expect(String(found.text(name))).not.toContain('0123456789');
    expect(found.source('api-key')).toBe('environment');
    expect(found.account()).toEqual(expect.stringMatching(/^https:..work.example.com [0-9a-f]{1,16}$/));
  });
});

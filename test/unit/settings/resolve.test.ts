import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../src/core/failure.ts';
import { NO_WORDS, printed } from '../../../src/core/message.ts';
import { resolveLocal } from '../../../src/settings/resolve.ts';
import { Settings } from '../../../src/settings/settings.ts';
import { SETTING, SETTINGS, type Setting } from '../../../src/settings/settings-table.ts';
import { createTestWorld } from '../../support/worlds/test-world.ts';

type Parts = Partial<{ flag: string; env: string; profile: string }>;

function resolved(parts: Parts, of: Setting, broken = false) {
  const { directory, user } = createTestWorld();
  const folder = join(directory, '.config', 'berth');
  const file = JSON.stringify({ current: 'p', profiles: { p: { [of.name]: parts.profile } } });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), broken ? '{' : file);
  const env = { [of.variable]: parts.env };
  const place = { env, platform: 'linux', home: directory, cwd: directory, user };
  return new Settings(place, { [of.name]: parts.flag }).resolve(of.name);
}

describe('the settings table', () => {
  it('has no flag for a secret', () => {
    expect(SETTINGS.filter((each) => each.secret && each.flag !== undefined)).toEqual([]);
  });

  it('has defaults that are valid values', () => {
    for (const each of SETTINGS)
      if (each.default !== undefined) expect(resolved({ flag: each.default }, each)?.value).toBe(each.default);
  });
});

describe('the order of the sources', () => {
  const timeout = SETTING.timeout;
  it.each([
    [
      { flag: '1s', env: '2s', profile: '3s' },
      { value: '1s', source: 'flag' },
    ],
    [
      { env: '2s', profile: '3s' },
      { value: '2s', source: 'environment' },
    ],
    [
      { env: '', profile: '3s' },
      { value: '3s', source: 'profile' },
    ],
    [{ profile: '3s' }, { value: '3s', source: 'profile' }],
    [{}, { value: '30s', source: 'default' }],
  ])('%j gives %j', (parts, wanted) => {
    expect(resolved(parts, timeout)).toEqual(wanted);
  });

  it('does not read the profile if a flag or a variable gives the value', () => {
    const access = SETTING.access;
    expect(() => resolved({}, access, true)).toThrow('cannot use the configuration');
    expect(resolved({ env: 'read' }, access, true)?.value).toBe('read');
    expect(resolved({}, SETTING['no-input'], true)).toBeUndefined();
  });
});

describe('bad values', () => {
  it.each([
    ['timeout', 'soon'],
    ['timeout', '0'],
    ['retries', '1.5'],
    ['output', 'xml'],
    ['local', 'perhaps'],
    ['profile', '../x'],
    ['base-url', 'api.example.com'],
    ['base-url', 'https://api.example.com/?a=b'],
    ['base-url', 'https://user:secret@api.example.com/'],
  ] as const)('%s %s: 2 by flag and variable, 14 in the profile, each named', (name, text) => {
    const of = SETTING[name];
    const failure = (parts: Parts): Failure | undefined => {
      try {
        resolved(parts, of);
        return undefined;
      } catch (error) {
        return error as Failure;
      }
    };
    expect(failure({ flag: text })).toMatchObject({
      exit: 2,
      message: expect.stringContaining(of.flag ?? '') as string,
    });
    const byVariable = failure({ env: text });
    expect(byVariable).toMatchObject({ exit: 2, message: expect.stringContaining(of.variable) as string });
    const hint = printed(byVariable?.hint ?? '', { accountWords: NO_WORDS });
    expect(`${byVariable?.message ?? ''}${hint}`).not.toContain('secret');
    if (of.inProfile)
      expect(failure({ profile: text })).toMatchObject({
        exit: 14,
        message: expect.stringContaining(`"${name}" of profile "p"`) as string,
      });
  });
});

describe('local or remote', () => {
  it.each([
    [{}, {}, undefined, false],
    [{}, {}, 'local', true],
    [{ local: true }, { BERTH_BASE_URL: 'https://a.test' }, 'work', true],
    [{}, { BERTH_LOCAL: '1' }, 'work', true],
    [{}, { BERTH_LOCAL: '0' }, 'local', false],
    [{}, { BERTH_LOCAL: '1', BERTH_BASE_URL: 'https://a.test' }, undefined, true],
    [{ profile: 'work' }, { BERTH_LOCAL: '1' }, undefined, false],
    [{ profile: 'local' }, {}, 'work', true],
    [{ 'base-url': 'https://a.test' }, { BERTH_LOCAL: '1' }, 'local', false],
    [{}, { BERTH_PROFILE: 'local' }, 'work', true],
    [{}, { BERTH_QUEUE_URL: 'https://a.test' }, 'local', false],
    [{}, { BERTH_API_KEY: 'a-key-of-some-length' }, 'local', true],
  ])('flags %j, environment %j, current profile %s: %s', (flags, env, current, wanted) => {
    expect(resolveLocal({ flags, env }, () => current)).toBe(wanted);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../src/core/failure.ts';
import { NO_WORDS, printed } from '../../../src/core/message.ts';
import { resolveLocal, resolveSetting, type Sources } from '../../../src/settings/resolve.ts';
import {
  ADDRESSES,
  SETTINGS,
  findSetting,
  type Setting,
  type SettingName,
} from '../../../src/settings/settings-table.ts';
import { OUTPUT_FORMATS } from '../../../src/core/settings.ts';

function setting(name: SettingName): Setting {
  const found = findSetting(name);
  if (found === undefined) throw new Error(`the table lacks ${name}`);
  return found;
}

const sources = (parts: Partial<{ flag: string; env: string; profile: string }>, of: Setting): Sources => ({
  flags: { [of.name]: parts.flag },
  env: of.variable === undefined ? {} : { [of.variable]: parts.env },
  profile: () => ({
    values: parts.profile === undefined ? {} : { [of.name]: parts.profile },
    where: () => 'of profile "p"',
  }),
});

describe('the settings table', () => {
  it('names each setting, flag and variable once', () => {
    for (const member of ['name', 'flag', 'variable'] as const) {
      const all = SETTINGS.flatMap((each) =>
        (each as Setting)[member] === undefined ? [] : [(each as Setting)[member]],
      );
      expect(new Set(all).size).toBe(all.length);
    }
  });

  it('has no flag for a secret', () => {
    expect((SETTINGS as readonly Setting[]).filter((each) => each.secret && each.flag !== undefined)).toEqual([]);
  });

  it('has the same formats as the output', () => {
    expect(setting('output')).toMatchObject({ choices: OUTPUT_FORMATS });
  });

  it('has defaults that are valid values', () => {
    for (const each of SETTINGS as readonly Setting[])
      if (each.default !== undefined)
        expect(resolveSetting(each, sources({ flag: each.default }, each))?.value).toBe(each.default);
  });
});

describe('the order of the sources', () => {
  const timeout = setting('timeout');
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
    expect(resolveSetting(timeout, sources(parts, timeout))).toEqual(wanted);
  });

  it('is the same for every setting and every set of sources', () => {
    const value = fc.constantFrom('5', undefined);
    fc.assert(
      fc.property(
        fc.constantFrom(setting('timeout'), setting('retries')),
        value,
        value,
        value,
        (of, flag, env, profile) => {
          const given = Object.fromEntries(
            Object.entries({ flag, env, profile }).filter(([, text]) => text !== undefined),
          );
          const first = (['flag', 'env', 'profile'] as const).find((name) => given[name] !== undefined);
          const found = resolveSetting(of, sources(given, of));
          expect(found?.source).toBe(
            { flag: 'flag', env: 'environment', profile: 'profile', none: 'default' }[first ?? 'none'],
          );
        },
      ),
    );
  });

  it('does not read the profile if a flag or a variable gives the value', () => {
    const profile = (): never => {
      throw new Error('asked');
    };
    expect(resolveSetting(timeout, { flags: {}, env: { BERTH_TIMEOUT: '2s' }, profile })?.value).toBe('2s');
    expect(resolveSetting(setting('no-input'), { flags: {}, env: {}, profile })).toBeUndefined();
  });
});

describe('bad values', () => {
  it.each([
    ['timeout', 'soon'],
    ['timeout', '-1s'],
    ['timeout', '0'],
    ['retries', '-1'],
    ['retries', '1.5'],
    ['retries', 'many'],
    ['output', 'xml'],
    ['local', 'perhaps'],
    ['profile', '../x'],
    ['profile', '__proto__'],
    ['base-url', 'api.example.com'],
    ['base-url', 'ftp://api.example.com'],
    ['base-url', 'https://api.example.com/?a=b'],
    ['base-url', 'https://api.example.com/#a'],
    ['base-url', 'https://user:secret@api.example.com/'],
  ] as const)('%s %s: 2 by flag and variable, 14 in the profile, each named', (name, text) => {
    const of = setting(name);
    const failure = (parts: Parameters<typeof sources>[0]): Failure | undefined => {
      try {
        resolveSetting(of, sources(parts, of));
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
    expect(byVariable).toMatchObject({ exit: 2, message: expect.stringContaining(of.variable ?? '') as string });
    const hint = printed(byVariable?.hint ?? '', { accountWords: NO_WORDS });
    expect(`${byVariable?.message ?? ''}${hint}`).not.toContain('secret');
    if (of.inProfile)
      expect(failure({ profile: text })).toMatchObject({
        exit: 14,
        message: expect.stringContaining(`"${name}" of profile "p"`) as string,
      });
  });
});

it.each([
  ['retries', '0'],
  ['max-answer-bytes', '1024'],
] as const)('%s accepts its smallest value, %s, and nothing smaller', (name, least) => {
  const of = setting(name);
  expect(resolveSetting(of, sources({ env: least }, of))?.value).toBe(least);
  expect(() => resolveSetting(of, sources({ env: String(Number(least) - 1) }, of))).toThrow(`at least ${least}`);
});

describe('local or remote', () => {
  it.each([
    [{}, {}, undefined, false],
    [{}, {}, 'local', true],
    [{}, {}, 'work', false],
    [{ local: true }, { BERTH_BASE_URL: 'https://a.test' }, 'work', true],
    [{}, { BERTH_LOCAL: '1' }, 'work', true],
    [{}, { BERTH_LOCAL: '0' }, 'local', false],
    [{}, { BERTH_LOCAL: '' }, 'work', false],
    [{}, { BERTH_LOCAL: '1', BERTH_BASE_URL: 'https://a.test' }, undefined, true],
    [{ profile: 'work' }, { BERTH_LOCAL: '1' }, undefined, false],
    [{ profile: 'local' }, {}, 'work', true],
    [{ 'base-url': 'https://a.test' }, { BERTH_LOCAL: '1' }, 'local', false],
    [{}, { BERTH_PROFILE: 'local' }, 'work', true],
    [{}, { BERTH_PROFILE: 'work' }, 'local', false],
    [{}, { BERTH_QUEUE_URL: 'https://a.test' }, 'local', false],
    [{}, { BERTH_API_KEY: 'a-key-of-some-length' }, 'local', true],
  ])('flags %j, environment %j, current profile %s: %s', (flags, env, current, wanted) => {
    expect(resolveLocal(flags, env, () => current)).toBe(wanted);
  });

  it.each(ADDRESSES)('%s in the environment means a remote service, whatever the profiles file holds', (name) => {
    const variable = setting(name).variable ?? '';
    const unread = (): never => {
      throw new Error('read');
    };
    expect(resolveLocal({}, { [variable]: 'https://a.test' }, unread)).toBe(false);
  });
});

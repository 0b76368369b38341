import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/core/failure.ts';
import { ApiKey, findKey, keyTail, openKey } from '../../../src/settings/keys.ts';

const KEY = 'key-0123456789-WXYZ';

describe('the visible part of a key', () => {
  it.each([
    [KEY, 'WXYZ'],
    ['twelve-chars', 'hars'],
    ['eleven-char', ''],
    ['abcd', ''],
  ])('%s: %j', (key, tail) => {
    expect(keyTail(key)).toBe(tail);
  });

  it('is never the key itself, however it is printed', () => {
    const key = new ApiKey(KEY, 'environment');
    const shown = [
      String(key),
      JSON.stringify({ key }),
      inspect(key, { showHidden: true, depth: 9 }),
      Object.values(key).join(),
    ];
    expect(shown.join()).not.toContain('0123456789');
    expect(key.reveal()).toBe(KEY);
  });
});

it.each(['', 'secret\nkey', 'secret key', 'secr\u00e9t'])('the key %j: 3, and it is not printed', async (key) => {
  const error: unknown = await openKey({ source: 'file', key, where: 'FILE' }, () => Promise.resolve('')).catch(
    (e) => e,
  );
  if (!(error instanceof Failure)) throw new Error('it is accepted');
  expect(error.exit).toBe(3);
  expect(JSON.stringify(error.facts())).not.toMatch(/secr/);
});

describe('the source of the key', () => {
  const inProfile = (): string => 'profile-key-0001';
  const where = (): string => 'of profile "p"';

  const readFile = (path: string): Promise<string> =>
    Promise.resolve(path === 'key.txt' ? 'file-key-00000002\n' : '\n');

  it('is the environment, then the file, then the profile', async () => {
    const from = async (env: Record<string, string>): Promise<unknown> => {
      const key = await openKey(findKey({ env, inProfile, where }), readFile);
      return [key?.reveal(), key?.source];
    };
    expect(await from({ BERTH_API_KEY: KEY, BERTH_API_KEY_FILE: 'key.txt' })).toEqual([KEY, 'environment']);
    expect(await from({ BERTH_API_KEY: '', BERTH_API_KEY_FILE: 'key.txt' })).toEqual(['file-key-00000002', 'file']);
    expect(await from({})).toEqual(['profile-key-0001', 'profile']);
    expect(findKey({ env: {}, inProfile: () => undefined, where })).toBeUndefined();
  });
});

import { execFile } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { ProfileStore } from '../../../src/core/context.ts';
import { createProfiles } from '../../../src/settings/profile-store.ts';
import { readProfiles } from '../../../src/settings/read-profiles.ts';
import { realLocks } from '../../support/files/real-locks.ts';
import { createTestWorld } from '../../support/worlds/test-world.ts';

const KEY = 'key-0123456789-WXYZ';
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

function open(content?: string): { readonly path: string; readonly store: ProfileStore } {
  const path = join(createTestWorld().directory, 'config', 'config.json');
  if (content !== undefined) {
    mkdirSync(dirname(path));
    writeFileSync(path, content, { mode: 0o644 });
  }
  return { path, store: createProfiles(path, realLocks()) };
}

describe('the profiles file', () => {
  it('is created on the first write, is readable by its owner only, and can be read back', async () => {
    const { path, store } = open();
    expect(await store.list()).toEqual([]);
    expect(existsSync(dirname(path))).toBe(false);
    await store.set('work', 'base-url', 'https://api.example.com');
    await store.setKey('work', `${KEY}\n`);
    await store.set('play', 'timeout', '90s');
    await store.use('work');
    expect(await store.list()).toEqual([
      { name: 'play', current: false, values: { timeout: '90s' }, keyTail: undefined },
      { name: 'work', current: true, values: { 'base-url': 'https://api.example.com' }, keyTail: 'WXYZ' },
    ]);
    expect([mode(path), mode(dirname(path))]).toEqual(['600', '700']);
    expect(readdirSync(dirname(path))).toEqual(['config.json']);
    expect(readProfiles(path).profiles['work']?.['api-key']).toBe(KEY);
  });

  it('is written through a symbolic link', async () => {
    const { path } = open('{"profiles":{"before":{}}}');
    const link = join(dirname(dirname(path)), 'config.json');
    symlinkSync(path, link);
    await createProfiles(link, realLocks()).set('work', 'retries', '5');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(Object.keys(readProfiles(path).profiles)).toEqual(['before', 'work']);
    expect(mode(path)).toBe('600');
  });

  it('removes a setting, a key and a profile', async () => {
    const { path, store } = open();
    await store.set('work', 'retries', '5');
    await store.setKey('work', KEY);
    await store.use('work');
    await store.set('work', 'retries', undefined);
    await store.setKey('work', undefined);
    expect(readProfiles(path).profiles).toEqual({ work: {} });
    expect(await store.remove('work')).toBe(true);
    expect(await store.remove('work')).toBe(false);
    expect(readProfiles(path)).toMatchObject({ current: undefined, profiles: {} });
  });

  it('shows the local profile if it is the current one', async () => {
    const { store } = open();
    await store.use('local');
    expect(await store.list()).toEqual([{ name: 'local', current: true, values: {}, keyTail: undefined }]);
  });

  it.each<[string, (store: ProfileStore) => Promise<unknown>]>([
    ['a setting that is none', (store) => store.set('work', 'colour', 'red')],
    ['a key as a setting', (store) => store.set('work', 'api-key', KEY)],
    ['a bad value', (store) => store.set('work', 'base-url', 'nowhere')],
    ['a name that objects have', (store) => store.set('__proto__', 'retries', '1')],
    ['the local profile', (store) => store.setKey('local', KEY)],
  ])('refuses %s with 2 and creates no file', async (_, act) => {
    const { path, store } = open();
    await expect(act(store)).rejects.toMatchObject({ exit: 2 });
    expect(existsSync(path)).toBe(false);
  });

  it('refuses an address to which no key may be sent, and writes nothing', async () => {
    const { path, store } = open();
    await expect(store.set('work', 'base-url', 'http://api.example.com')).rejects.toMatchObject({ exit: 2 });
    await expect(store.logIn('work', { 'base-url': 'http://api.example.com' }, KEY)).rejects.toMatchObject({ exit: 2 });
    expect(existsSync(path)).toBe(false);
  });
});

describe('concurrent changes', () => {
  it('by two processes lose nothing and end with mode 0600', async () => {
    const { path } = open('{"profiles":{"before":{}}}');
    const program = join(dirname(path), '..', 'writer.cjs');
    await build({
      stdin: {
        contents: `
          import { createProfiles } from './src/settings/profile-store.ts';
          import { realLocks } from './test/support/files/real-locks.ts';
          const [path, prefix] = process.argv.slice(2);
          const store = createProfiles(path, realLocks());
          (async () => { for (let i = 0; i < 8; i++) await store.set(prefix + i, 'retries', String(i)); })();`,
        resolveDir: resolve('.'),
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      outfile: program,
      logLevel: 'error',
    });
    const run = (prefix: string): Promise<unknown> => promisify(execFile)(process.execPath, [program, path, prefix]);
    await Promise.all([run('a'), run('b')]);
    expect(Object.keys(readProfiles(path).profiles)).toHaveLength(17);
    expect(mode(path)).toBe('600');
  });
});

import { readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

const LARGE = Buffer.alloc(33 * 1_048_576, 'what a large file has ');

/** An account whose volume has two unfinished uploads, of `a/large` and of `b/large`. */
async function start() {
  const account = createAccount();
  const cwd = temporaryDirectory();
  const data = temporaryDirectory();
  writeFileSync(path.join(cwd, 'large'), LARGE);
  const run = (line: string, env: Readonly<Record<string, string>> = {}) =>
    account(line, { cwd, env: { BERTH_DATA_DIR: data, ...env } });
  // The volume is full for one of the three parts: the others arrive.
  for (const folder of ['a', 'b']) {
    await run(`local fault add files-full --count 1 --match 'PUT /vol-datasets/${folder}/large'`);
    expect(await run(`files cp large datasets:${folder}/`)).toMatchObject({ code: 5 });
  }
  const list = async (place: string) =>
    JSON.parse(await local((line) => run(line), `files uploads list ${place} --json`)) as readonly {
      path: string;
      upload: string;
      parts: number;
      bytes: number;
    }[];
  return { run, list, data };
}

describe('files uploads list', () => {
  it('shows what an upload that failed has left, and its size', async () => {
    const { list, data } = await start();
    const found = await list('datasets');
    expect(found.map(({ path: key }) => key)).toEqual(['a/large', 'b/large']);
    const root = path.join(data, 'local/volumes');
    const folder = path.join(root, readdirSync(root)[0] ?? '', 'vol-datasets/.s3compat_uploads');
    for (const { upload, parts, bytes } of found) {
      const names = readdirSync(path.join(folder, upload)).filter((name) => /^\d+\./.test(name));
      expect([parts, bytes]).toEqual([
        names.length,
        names.reduce((sum, name) => sum + statSync(path.join(folder, upload, name)).size, 0),
      ]);
      expect(parts).toBeGreaterThan(0);
    }
  });

  it.each([
    ['datasets:a', ['a/large']],
    ['datasets:a/', ['a/large']],
    ['datasets:b/large', ['b/large']],
    ['datasets:b/lar', []],
    ['checkpoints', []],
  ])('shows those of one place: %s', async (place, expected) => {
    const { list } = await start();
    expect((await list(place)).map(({ path: key }) => key)).toEqual(expected);
  });
});

describe('files uploads abort', () => {
  it('asks, and removes those of the place only', async () => {
    const { run, list } = await start();
    expect((await run('files uploads abort datasets:a')).code).toBe(2);
    expect((await run('files uploads abort datasets --dry-run')).err).toContain(
      '2 unfinished uploads would be removed',
    );
    expect(await list('datasets')).toHaveLength(2);
    const ran = await run('files uploads abort datasets:a --yes --json');
    expect([ran.code, JSON.parse(ran.out)]).toEqual([0, [expect.objectContaining({ path: 'a/large', ok: true })]]);
    expect((await list('datasets')).map(({ path: key }) => key)).toEqual(['b/large']);
  });

  it('leaves out those that began a short time ago', async () => {
    const { run, list } = await start();
    expect((await run('files uploads abort datasets --older-than 1h --yes')).code).toBe(0);
    expect(await list('datasets')).toHaveLength(2);
  });

  it('needs the access to destroy', async () => {
    const { run } = await start();
    expect((await run('files uploads abort datasets --yes', { BERTH_ACCESS: 'write' })).code).toBe(3);
  });

  it('names each upload that could not be removed', async () => {
    const { run, list } = await start();
    await run('local fault add files-denied --match DELETE');
    const ran = await run('files uploads abort datasets --yes --json');
    expect([ran.code, JSON.parse(ran.out)]).toMatchObject([3, [{ ok: false }, { ok: false }]]);
    await run('local fault clear');
    expect(await list('datasets')).toHaveLength(2);
  });
});

test('the same copy again uses the parts that are there, and leaves no upload', async () => {
  const { run, list } = await start();
  expect((await run('files cp large datasets:a/ --verify')).code).toBe(0);
  expect((await list('datasets')).map(({ path: key }) => key)).toEqual(['b/large']);
});

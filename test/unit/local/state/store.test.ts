import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeEach, describe, expect, it } from 'vitest';
import { createState, type State } from '../../../../src/local/state/state.ts';
import type { Store } from '../../../../src/local/state/store.ts';
import { realTurns } from '../../../../src/host/lock/file-locks.ts';
import { writeForgedLock, HOLDERS } from '../../../support/files/forged-lock.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { fileStore, SHORT_TURNS } from '../../../support/local/file-store.ts';
import { savedState } from '../../../support/local/saved-state.ts';
import { localFixture, POD_BODY } from '../../../support/local/service-fixture.ts';
import { hintWith } from '../../../support/text/hint-of.ts';
import { berth } from '../../../support/worlds/run-berth.ts';

const fresh = () => createState(Date.UTC(2026, 0, 1));
const count = (store: Store) => store.transact(fresh, (state) => (state.serial += 1));
const countIn = (store: Store) => store.transact(fresh, ({ serial }: State) => serial);

let path: string;
beforeEach(() => {
  path = join(temporaryDirectory(), 'local', 'state.json');
});

describe('a state in a file', () => {
  it('is there for the next process, private, with nothing beside it', async () => {
    const first = localFixture({ store: fileStore(path) });
    const { body } = await first.send('POST', '/v2/pods', { ...POD_BODY, name: 'kept' });
    await first.service.stop();
    const second = localFixture({ store: fileStore(path) });
    expect((await second.send('GET', `/v2/pods/${String(body['id'])}`)).body['name']).toBe('kept');
    await second.service.stop();
    expect([dirname(path), path].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o600]);
    expect(readdirSync(dirname(path))).toEqual(['state.json']);
  });

  it('goes to a waiting process after a turn, though this one does not end', async () => {
    const stores = [fileStore(path), fileStore(path)] as const;
    await count(stores[0]);
    expect(await count(stores[1])).toBe(2);
    expect(await count(stores[0])).toBe(3);
    await Promise.all(stores.map((store) => store.close()));
    expect(savedState(path).serial).toBe(3);
  });

  it('loses nothing between processes that change it at once', async () => {
    const script = join(path, '..', '..', 'count.cjs');
    await build({
      stdin: {
        contents: `
          import { fileStore, SHORT_TURNS } from './test/support/local/file-store.ts';
          import { createState } from './src/local/state/state.ts';
          const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
          const store = fileStore(process.argv[2], SHORT_TURNS);
          const main = async () => {
            for (let i = 0; i < 25; i++) {
              await store.transact(() => createState(0), (state) => { state.serial += 1; });
              await pause(1);
            }
            await store.close();
          };
          void main();
        `,
        resolveDir: process.cwd(),
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      outfile: script,
      logLevel: 'error',
    });
    const run = () => promisify(execFile)(process.execPath, [script, path]);
    const store = fileStore(path, SHORT_TURNS);
    const here = async () => {
      for (let each = 0; each < 25; each++) {
        await count(store);
        await realTurns.pause(1);
      }
    };
    await Promise.all([run(), run(), here(), here()]);
    expect(await countIn(store)).toBe(100);
    await store.close();
  });
});

it('is not written by what only reads it', async () => {
  const env = { BERTH_DATA_DIR: temporaryDirectory() };
  const file = join(env.BERTH_DATA_DIR, 'local', 'state.json');
  const local = async (...argv: string[]) => {
    expect(await berth(['--local', ...argv], { env })).toMatchObject({ code: 0 });
    const { ino, mtimeNs, size } = statSync(file, { bigint: true });
    return [ino, mtimeNs, size];
  };
  await local('registries', 'list');
  const reads = ['pods list', 'endpoints list', 'volumes list', 'billing summary', 'local status'];
  for (const read of reads) await local(...read.split(' '));
  const saved = await local('tags', 'list');
  for (const read of reads) expect([read, await local(...read.split(' '))]).toEqual([read, saved]);
  expect(await local('local', 'clock', 'advance', '1h')).not.toEqual(saved);
});

describe('a state that cannot be used', () => {
  it.each([
    ['not JSON', '{"version":', 'this is no state'],
    ['empty', '', 'this is no state'],
    ['something else', '[1]', 'this is no state'],
    [
      'of an earlier version',
      '{"version":7,"stamp":"x","since":0}\n{"fields":{},"whole":true}\n',
      'of another version',
    ],
    ['of a later version', '{"version":99,"since":0}', 'of another version'],
    ['without its parts', '{"version":10,"since":0,"generation":"a"}', 'is damaged'],
    ['a source map', '{"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAA"}', 'this is no state'],
  ])('that is %s ends 14 with the command that resets it, and stays as it is', async (_, text, said) => {
    const env = { BERTH_DATA_DIR: temporaryDirectory() };
    const file = join(env.BERTH_DATA_DIR, 'local', 'state.json');
    mkdirSync(dirname(file));
    writeFileSync(file, text);
    const refused = await berth(['--local', 'pods', 'list'], { env });
    expect([refused.code, refused.err]).toEqual([
      14,
      expect.stringMatching(new RegExp(`${said}.*state\\.json\\n.*berth --local local reset\\n$`)),
    ]);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect((await berth(['--local', 'local', 'reset', '--yes'], { env })).code).toBe(0);
    expect((await berth(['--local', 'pods', 'list'], { env })).code).toBe(0);
  });
});

describe('a state that cannot be saved', () => {
  it('ends 14 for each step until it can, and then has all of them', async () => {
    const store = fileStore(path);
    await count(store);
    mkdirSync(path);
    await expect(store.flush()).rejects.toMatchObject({ exit: 14 });
    await expect(count(store)).rejects.toMatchObject({ exit: 14 });
    rmdirSync(path);
    expect(await count(store)).toBe(2);
    await store.close();
    expect(savedState(path).serial).toBe(2);
  });

  it('ends 14 where the last save of a command fails', async () => {
    const store = fileStore(path);
    await count(store);
    mkdirSync(path);
    await expect(store.close()).rejects.toMatchObject({ exit: 14 });
    await expect(store.close()).rejects.toMatchObject({ exit: 14 });
    expect(readdirSync(dirname(path))).toEqual(['state.json']);
  });

  it('is not written over what came after another process took over the lock', async () => {
    const store = fileStore(path);
    await count(store);
    await store.close();
    await count(store);
    const [token = ''] = readdirSync(`${path}.lock`);
    renameSync(join(`${path}.lock`, token), join(dirname(path), 'gone'));
    writeForgedLock(`${path}.lock`, HOLDERS.dead());
    await expect(store.close()).rejects.toMatchObject({ exit: 14 });
    expect(savedState(path).serial).toBe(1);
    expect(await count(store)).toBe(2);
    await store.close();
  });
});

it('a reset helps where the file cannot be read', async () => {
  const first = localFixture({ store: fileStore(path) });
  await first.send('GET', '/v2/pods');
  await first.service.stop();
  rmSync(path);
  writeFileSync(path, '{}');
  const { send, service } = localFixture({ store: fileStore(path) });
  await expect(send('GET', '/v2/pods')).rejects.toMatchObject({ exit: 14, hint: hintWith('berth local reset') });
  expect((await send('POST', '/local/reset')).status).toBe(200);
  expect((await send('GET', '/v2/pods')).status).toBe(200);
  await service.stop();
});

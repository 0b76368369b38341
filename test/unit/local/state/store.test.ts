import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeEach, describe, expect, it } from 'vitest';
import { createState } from '../../../../src/local/state/state.ts';
import { memoryStore } from '../../../../src/local/state/file/store.ts';
import { localFixture, POD_BODY } from '../../../support/local/service-fixture.ts';
import { fileStore } from '../../../support/local/file-store.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { hintWith } from '../../../support/text/hint-of.ts';

const fresh = () => createState(Date.UTC(2026, 0, 1));
let path: string;
beforeEach(() => {
  path = join(temporaryDirectory(), 'local', 'state.json');
});

describe('a state in a file', () => {
  it('is there for the next service', async () => {
    const first = localFixture({ store: fileStore(path) });
    const { body } = await first.send('POST', '/v2/pods', { ...POD_BODY, name: 'kept' });
    const second = localFixture({ store: fileStore(path) });
    expect((await second.send('GET', `/v2/pods/${String(body.id)}`)).body.name).toBe('kept');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('keeps nothing of a step that throws', async () => {
    const store = fileStore(path);
    await store.transact(fresh, () => undefined);
    const failed = store.transact(fresh, (state) => {
      state.serial = 77;
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await store.transact(fresh, (state) => state.serial)).toBe(0);
  });

  it('is written only where something has changed', async () => {
    const store = fileStore(path);
    await store.transact(fresh, () => undefined);
    const place = async () => (await stat(path)).size;
    const before = await place();
    await store.transact(fresh, (state) => {
      state.asOf += 5;
      state.processedTo += 5;
    });
    expect(await place()).toBe(before);
    await store.transact(fresh, (state) => {
      state.serial += 1;
    });
    expect(await place()).not.toBe(before);
    expect(await store.transact(fresh, ({ serial }) => serial)).toBe(1);
  });

  it.each([
    ['not JSON', '{"version":', 'this is no state'],
    ['empty', '', 'this is no state'],
    ['something else', '[1]', 'this is no state'],
    ['of another version', '{"version":1,"since":0}', 'of another version'],
  ])('that is %s ends 14, naming the file and the way out, and stays as it is', async (_, text, said) => {
    await fileStore(path).transact(fresh, () => undefined);
    await writeFile(path, text);
    const { send } = localFixture({ store: fileStore(path) });
    await expect(send('GET', '/v2/pods')).rejects.toMatchObject({
      exit: 14,
      message: expect.stringMatching(new RegExp(`${said}.*state\\.json`)) as string,
      hint: hintWith('berth local reset'),
    });
    expect(await readFile(path, 'utf8')).toBe(text);
    expect((await send('POST', '/local/reset')).status).toBe(200);
    expect((await send('GET', '/v2/pods')).status).toBe(200);
  });

  it('loses nothing between two processes that change it at once', async () => {
    const script = join(path, '..', '..', 'count.cjs');
    await build({
      stdin: {
        contents: `
          import { fileStore } from './test/support/local/file-store.ts';
          import { createState } from './src/local/state/state.ts';
          const store = fileStore(process.argv[2]);
          const main = async () => {
            for (let i = 0; i < 25; i++) await store.transact(() => createState(0), (state) => { state.serial += 1; });
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
    const store = fileStore(path);
    const here = async () => {
      for (let count = 0; count < 25; count++)
        await store.transact(fresh, (state) => {
          state.serial += 1;
        });
    };
    await Promise.all([run(), run(), here(), here()]);
    expect(await store.transact(fresh, (state) => state.serial)).toBe(100);
  });
});

describe('a state in memory', () => {
  it('is made once and kept', async () => {
    const store = memoryStore();
    await store.transact(fresh, (state) => {
      state.serial = 5;
    });
    expect(await store.transact(fresh, (state) => state.serial)).toBe(5);
    await store.replace(fresh);
    expect(await store.transact(fresh, (state) => state.serial)).toBe(0);
  });
});

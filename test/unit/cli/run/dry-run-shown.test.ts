import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stripVTControlCharacters } from 'node:util';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

const TERMINAL = { tty: true, columns: 100 };
const NOTE = 'A dry run: nothing was sent or changed. As JSON: --json.';

describe('a dry run on a terminal shows the request member by member, with one note', () => {
  test.each([
    ['pods-create', 'pods create --name web --gpu GPU-24G --image a/b --env HF_TOKEN=hf-value --port 22/tcp,80/http'],
    ['jobs-run', 'jobs run demo --input {"prompt":"hello"}'],
    ['api', 'api POST /v2/network-volumes -F name=scratch -F size=50'],
  ])('%s', async (name, line) => {
    const account = createAccount();
    const { code, out, err } = await account(`${line} --dry-run`, TERMINAL);
    const shown = stripVTControlCharacters(`${out}---\n${err}`).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID');
    await expect(shown).toMatchFileSnapshot(`../../../golden/dry-run/${name}.txt`);
    expect([code, err.split(NOTE).length - 1, out + err]).toEqual([0, 1, expect.not.stringContaining('hf-value')]);
  });
});

test.each(['pods create --name web --gpu GPU-24G --image a/b', 'volumes update datasets --size 4000'])(
  'a dry run in a pipe, and one with a format, is JSON: %s',
  async (line) => {
    const account = createAccount();
    const piped = await local(account, `${line} --dry-run`);
    const asked = (await account(`${line} --dry-run --json`, TERMINAL)).out;
    expect(JSON.parse(piped)).toEqual(JSON.parse(asked));
    expect(JSON.parse(piped)).not.toHaveProperty('before');
    expect((await account(`${line} --dry-run -o yaml`, TERMINAL)).out).toContain('method: P');
    expect((await account(`${line} --dry-run`)).err).not.toContain(NOTE);
  },
);

test('a dry run of a copy of files is a table on a terminal, with the note', async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'one'), 'one');
  const { code, out, err } = await createAccount()('files cp one datasets: --dry-run', { ...TERMINAL, cwd: folder });
  expect([code, err.split(NOTE).length - 1]).toEqual([0, 1]);
  expect(stripVTControlCharacters(out)).toMatch(/one .*datasets:one/);
  expect(out).not.toContain('{');
});

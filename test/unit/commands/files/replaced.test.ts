import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';
import { createAccount, local } from '../../../support/worlds/local-account.ts';

test.each(['cp -r d/ datasets:', 'sync datasets: back'])(
  'what would be replaced is told by a dry run, which compares contents and sends nothing: %s',
  async (line) => {
    const account = createAccount();
    const cwd = temporaryDirectory();
    mkdirSync(join(cwd, 'd/e'), { recursive: true });
    writeFileSync(join(cwd, 'd/two'), 'two!');
    writeFileSync(join(cwd, 'd/e/three'), 'three');
    await account('files cp -r d/ datasets:', { cwd });
    await account('files cp -r datasets: back', { cwd });
    for (const place of ['d', 'back']) {
      writeFileSync(join(cwd, place, 'two'), 'TWO and more');
      utimesSync(join(cwd, place, 'e/three'), 2_000_000_000, 2_000_000_000);
    }
    const planned = await account(`files ${line} --dry-run --json`, { cwd });
    const rows = JSON.parse(planned.out) as readonly { from?: string; replaced?: boolean }[];
    expect(rows.filter(({ replaced }) => replaced === true)).toEqual([
      expect.objectContaining({ from: expect.stringMatching(/two$/) as string }),
    ]);
    expect(planned.err).toMatch(/1 file would be copied, .* \(1 replaced\); 1 file the same/);
    expect((await account(`files ${line} --dry-run`, { cwd })).out).toMatch(
      /^RESULT.*\n(same.*\n)?to be replaced.*\n(same.*\n)?$/,
    );
    expect(await local(account, 'files cat datasets:two')).toBe('two!');
    const done = await account(`files ${line} --json`, { cwd });
    expect(JSON.parse(done.out)).toContainEqual(expect.objectContaining({ replaced: true, ok: true }));
  },
);

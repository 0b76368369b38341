import { linkSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entryAt } from '../../../../src/host/files/folders.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

/** A file whose time of change is a while ago, so that the clock of the file system has another time at the next one. */
async function oldFile(): Promise<{ readonly path: string; readonly keepTime: () => void }> {
  const path = join(temporaryDirectory(), 'in.jsonl');
  writeFileSync(path, '{"n":1}\n');
  utimesSync(path, 1_700_000_000, 1_700_000_000);
  const { ctimeNs } = statSync(path, { bigint: true });
  const other = `${path}.clock`;
  do writeFileSync(other, '');
  while (statSync(other, { bigint: true }).ctimeNs === ctimeNs);
  return {
    path,
    keepTime: () => {
      utimesSync(path, 1_700_000_000, 1_700_000_000);
    },
  };
}

test.each<readonly [string, (path: string) => void]>([
  [
    'is written in place, with the same size',
    (path) => {
      writeFileSync(path, '{"n":2}\n');
    },
  ],
  [
    'is replaced by a file of the same size',
    (path) => {
      writeFileSync(`${path}.new`, '{"n":2}\n');
      renameSync(`${path}.new`, path);
    },
  ],
  [
    'gets a second name',
    (path) => {
      linkSync(path, `${path}.link`);
    },
  ],
])('a file that %s has another version, also when its time is set back', async (_, change) => {
  const { path, keepTime } = await oldFile();
  const before = entryAt(path);
  expect(entryAt(path)).toEqual(before);
  change(path);
  keepTime();
  const after = entryAt(path);
  expect(after?.bytes).toBe(before?.bytes);
  expect(after?.version).not.toBe(before?.version);
});

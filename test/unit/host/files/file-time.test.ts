import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileTime } from '../../../../src/host/files/user-files.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

test('every millisecond that a file is given is the one that it has', () => {
  const file = join(temporaryDirectory(), 'a');
  writeFileSync(file, '');
  const changed = Array.from({ length: 1000 }, (_, at) => 1_795_712_570_000 + at).filter((at) => {
    utimesSync(file, fileTime(at), fileTime(at));
    return Number(statSync(file, { bigint: true }).mtimeMs) !== at;
  });
  expect(changed).toEqual([]);
});

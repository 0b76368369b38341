import { statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectory } from '../../../../src/core/regular-files.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

test('a folder is created with its missing parents, once', () => {
  const path = join(temporaryDirectory(), 'a', 'b', 'c');
  makeDirectory(path, 0o700);
  makeDirectory(path, 0o700);
  expect([path, dirname(path)].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700]);
});

test.each(['file', 'file/below'])('a folder cannot be %s (14)', (name) => {
  const root = temporaryDirectory();
  writeFileSync(join(root, 'file'), '');
  expect(() => {
    makeDirectory(join(root, name));
  }).toThrow(
    expect.objectContaining({ exit: 14, message: expect.stringContaining(join(root, name)) as string }) as Error,
  );
});

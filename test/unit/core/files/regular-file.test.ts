import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, constants, fstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openRegular } from '../../../../src/core/regular-files.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

const hasPipes = spawnSync('mkfifo', ['--version']).status === 0;

/** Opens a file and closes it. Returns its content's length. */
function open(path: string, flags: number, links: 'refused' | 'followed'): number {
  const descriptor = openRegular(path, { flags, links });
  const { size } = fstatSync(descriptor);
  closeSync(descriptor);
  return size;
}

const refused = { exit: 14, message: expect.stringContaining('path') as string };

describe.each([
  ['to read', constants.O_RDONLY],
  ['to append', constants.O_WRONLY | constants.O_APPEND],
])('what is opened %s', (_, flags) => {
  test.each<readonly [string, (path: string) => void]>([
    ...(hasPipes ? [['a pipe', (path: string) => void execFileSync('mkfifo', [path])] as const] : []),
    [
      'a link to a device',
      (path) => {
        symlinkSync('/dev/null', path);
      },
    ],
  ])('is no regular file: %s is refused, and is not waited for', (__, make) => {
    const path = join(temporaryDirectory(), 'path');
    make(path);
    for (const links of ['refused', 'followed'] as const) expect(() => open(path, flags, links)).toThrow(path);
  });

  test('is a link to a file where links are followed, and is refused where they are not', () => {
    const path = join(temporaryDirectory(), 'path');
    writeFileSync(`${path}-file`, 'content');
    symlinkSync(`${path}-file`, path);
    expect(open(path, flags, 'followed')).toBe(7);
    expect(() => open(path, flags, 'refused')).toThrow(
      expect.objectContaining({ exit: 14, message: expect.stringContaining('it is a link') as string }),
    );
  });
});

test('a folder is refused to a reader', () => {
  const path = join(temporaryDirectory(), 'path');
  mkdirSync(path);
  expect(() => open(path, constants.O_RDONLY, 'refused')).toThrow(expect.objectContaining(refused));
});

test('what is not there is the error of the system', () => {
  const path = join(temporaryDirectory(), 'path');
  expect(() => open(path, constants.O_RDONLY, 'refused')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});

import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeDirectory } from '../../../../src/core/regular-files.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

let root = '';
beforeEach(() => {
  root = temporaryDirectory();
});

describe('a folder', () => {
  it('is created with its missing parents, once', () => {
    const path = join(root, 'a', 'b', 'c');
    makeDirectory(path, 0o700);
    makeDirectory(path, 0o700);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  it.each<[string, () => string, RegExp]>([
    ['below a file', () => join(fileIn(root), 'x'), /what is there is not a directory/],
    ['where a file is', () => fileIn(root), /what is there is not a directory/],
    ['where a link leads nowhere', () => danglingIn(root), /what is there is not a directory/],
    ...(process.platform === 'linux'
      ? ([
          ['in a place that takes none', () => '/proc/nope', /does not allow a directory there/],
          [
            'deep in a place that takes none',
            () => '/proc/1/nope/.config/berth',
            /does not allow a directory there|permission denied/,
          ],
        ] as [string, () => string, RegExp][])
      : []),
  ])('%s ends 14', (_, place, reason) => {
    const path = place();
    expect(() => {
      makeDirectory(path);
    }).toThrow(expect.objectContaining({ exit: 14, message: expect.stringMatching(reason) as string }) as Error);
  });
});

function fileIn(folder: string): string {
  const path = join(folder, 'file');
  writeFileSync(path, '');
  return path;
}

function danglingIn(folder: string): string {
  const path = join(folder, 'link');
  symlinkSync(join(folder, 'gone'), path);
  return path;
}

import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeDirectory } from '../../../../src/core/files.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

const system = { mkdirSync, statSync, dirname };
let root = '';
beforeEach(() => {
  root = temporaryDirectory();
});

describe('a folder', () => {
  it('is created with its missing parents, once', () => {
    const path = join(root, 'a', 'b', 'c');
    makeDirectory(system, path, 0o700);
    makeDirectory(system, path, 0o700);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  it('is accepted if another process created it meanwhile', () => {
    const path = join(root, 'late');
    let looked = 0;
    const statLater = (at: string): { isDirectory(): boolean } | undefined =>
      at === path && (looked += 1) === 1 ? undefined : statSync(at);
    mkdirSync(path);
    makeDirectory({ ...system, statSync: statLater }, path);
    expect(looked).toBe(2);
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
      makeDirectory(system, path);
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

import { appendFileSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openTestStorage } from '../../support/storage/open-test-storage.ts';
import { chunksOf, listed, readAll, testStorage } from '../../support/storage/storage-cases.ts';

describe('a folder', () => {
  testStorage(async () => {
    const { storage, directory } = openTestStorage();
    return { storage, root: `${directory}/` };
  });

  test('is read relative to the working directory, without links to folders', async () => {
    const { storage, directory } = openTestStorage();
    mkdirSync(join(directory, 'in'));
    writeFileSync(join(directory, 'in/b.csv'), 'b');
    writeFileSync(join(directory, 'a.csv'), 'a');
    symlinkSync(directory, join(directory, 'in/above'));
    symlinkSync(join(directory, 'a.csv'), join(directory, 'in/c.csv'));
    symlinkSync(join(directory, 'missing'), join(directory, 'in/d.csv'));
    expect(await listed(storage.list('**/*.csv'))).toEqual(['a.csv', 'in/b.csv', 'in/c.csv']);
    expect(await listed(storage.list('in/'))).toEqual(['in/b.csv', 'in/c.csv']);
  });

  test('has no temporary file left after a failed write', async () => {
    const { storage, directory } = openTestStorage();
    mkdirSync(join(directory, 'taken'));
    await expect(storage.write('taken', chunksOf('x'))).rejects.toMatchObject({ exit: 14 });
    await expect(storage.write('taken/', chunksOf('x'))).rejects.toMatchObject({ exit: 2 });
    expect(readdirSync(directory)).toEqual(['taken']);
  });

  test.each([
    [
      'appended to',
      (path: string) => {
        appendFileSync(path, 'more');
      },
    ],
    [
      'overwritten with as many bytes',
      (path: string) => {
        writeFileSync(path, 'x'.repeat(600_000));
      },
    ],
    [
      'cut',
      (path: string) => {
        writeFileSync(path, '');
      },
    ],
    [
      'touched',
      (path: string) => {
        utimesSync(path, 1, 1);
      },
    ],
  ])('refuses a file that is %s while it is read', async (_, change) => {
    const { storage, directory } = openTestStorage();
    const path = join(directory, 'a');
    writeFileSync(path, 'a'.repeat(600_000));
    const object = await storage.describe(path);
    if (object === undefined) throw new Error('no object');
    const chunks = storage.read(object)[Symbol.asyncIterator]();
    expect((await chunks.next()).done).toBe(false);
    change(path);
    await expect(readAll({ [Symbol.asyncIterator]: () => chunks })).rejects.toMatchObject({ exit: 14 });
  });
});

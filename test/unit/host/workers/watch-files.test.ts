import { mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { realClock } from '../../../../src/host/runtime/runtime.ts';
import { watchFiles } from '../../../../src/host/workers/watch-files.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

/** A directory that is watched. `prepare` may put more into it first. */
async function watched(prepare: (directory: string) => void = () => undefined, limit = 1000) {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'lib'), { recursive: true });
  for (const name of ['worker.py', 'lib/helper.py']) writeFileSync(join(directory, name), 'before');
  writeFileSync(join(directory, '.gitignore'), 'ignored.py\n');
  prepare(directory);
  const changes: string[] = [];
  const unwatched: string[] = [];
  let wake = (): void => undefined;
  const end = await watchFiles(directory, {
    clock: realClock,
    ownFiles: [],
    isOwnOutput: ({ ino }) => ino === statSync(join(directory, 'out.txt'), { throwIfNoEntry: false })?.ino,
    limit,
    onUnwatched: (reason) => unwatched.push(reason),
    onChange: (file) => {
      changes.push(file);
      wake();
    },
  });
  onTestFinished(end);
  return {
    directory,
    changes,
    unwatched,
    write: (name: string, text = 'after') => {
      writeFileSync(join(directory, name), text);
    },
    change: () => new Promise<void>((resolve) => (wake = resolve)),
  };
}

test('a change of a file, in a directory below too, is told once', async () => {
  const { changes, write, change } = await watched();
  let next = change();
  write('worker.py');
  await next;
  next = change();
  write('lib/helper.py');
  await next;
  expect(changes).toEqual(['worker.py', join('lib', 'helper.py')]);
});

test('a file that is replaced, as editors do it, and a new one', async () => {
  const { directory, changes, write, change } = await watched();
  let next = change();
  write('worker.py.new~');
  renameSync(join(directory, 'worker.py.new~'), join(directory, 'worker.py'));
  await next;
  expect(changes).toEqual(['worker.py']);
  next = change();
  write('new.py');
  await next;
  expect(changes[1]).toBe('new.py');
});

test('files of .gitignore and files that programs write are no change', async () => {
  const { changes, write, change } = await watched();
  const next = change();
  for (const name of ['ignored.py', 'results.jsonl', 'worker.log', 'lib/a.pyc']) write(name);
  write('worker.py');
  await next;
  expect(changes).toEqual(['worker.py']);
});

test.each([
  ['to another directory', (directory: string, other: string) => [other, join(directory, 'link')]],
  ['to a file', (directory: string, other: string) => [join(other, 'file.py'), join(directory, 'link.py')]],
  ['to the directory itself', (directory: string) => [directory, join(directory, 'lib', 'circle')]],
  ['to the root directory', (directory: string) => ['/', join(directory, 'root')]],
  ['to nothing', (directory: string) => [join(directory, 'missing'), join(directory, 'dangling')]],
] as const)('a link %s is not followed', async (_, link) => {
  const other = temporaryDirectory();
  writeFileSync(join(other, 'file.py'), 'before');
  const { changes, unwatched, write, change } = await watched((directory) => {
    const [target = '', path = ''] = link(directory, other);
    symlinkSync(target, path);
  });
  const next = change();
  writeFileSync(join(other, 'file.py'), 'after');
  write('worker.py');
  await next;
  expect(changes).toEqual(['worker.py']);
  expect(unwatched).toEqual([]);
});

test('files above the limit are not watched, and that is told once', async () => {
  const { unwatched } = await watched((directory) => {
    for (let number = 0; number < 20; number++) writeFileSync(join(directory, `${String(number)}.py`), '');
  }, 10);
  expect(unwatched).toEqual(['it has more than 10 files']);
});

test('a file that this process prints to is no change, whatever its name', async () => {
  const { changes, write, change } = await watched((directory) => {
    writeFileSync(join(directory, 'out.txt'), '');
  });
  const next = change();
  write('out.txt', 'printed');
  write('worker.py');
  await next;
  expect(changes).toEqual(['worker.py']);
});

test('a change that comes while the one before it is told is told too', async () => {
  const { changes, write, change } = await watched();
  let next = change();
  write('worker.py');
  await next;
  next = change();
  write('worker.py', 'at once after it');
  await next;
  expect(changes).toEqual(['worker.py', 'worker.py']);
});

import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchFiles } from '../../../../src/host/workers/watch-files.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

const FILES = {
  '.gitignore': 'secret.py\n/app/models/\n',
  'app/.gitignore': 'ignored.py\ndata/\n*.tmp.py\n!kept.tmp.py\n',
  ...{ 'app/worker.py': '', 'app/lib/helper.py': '', 'app/data/a.py': '', 'app/models/a.py': '' },
  ...{ 'app/env/pyvenv.cfg': '', 'app/node_modules/a.js': '', 'app/state.json': '', 'app/lib/.gitignore': 'made.py' },
};

/** The folder `app` of a repository, while it is watched. `prepare` may put more into it first. */
function watched(prepare: (folder: string) => void = () => undefined) {
  const top = temporaryDirectory();
  const folder = join(top, 'app');
  mkdirSync(join(top, '.git'));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(top, name)), { recursive: true });
    writeFileSync(join(top, name), text);
  }
  prepare(folder);
  const [changes, unwatched] = [[] as string[], [] as string[]];
  let wake = (): void => undefined;
  const end = watchFiles(folder, {
    isOwn: (path) => path.startsWith(join(folder, 'state.json')),
    onUnwatched: (reason) => unwatched.push(reason),
    onChange: (file) => {
      changes.push(file);
      wake();
    },
  });
  onTestFinished(end);
  /** What is told of changes that come together. */
  const change = async (make: () => void): Promise<readonly string[]> => {
    changes.length = 0;
    await new Promise<void>((resolve) => {
      wake = resolve;
      make();
    });
    return [...changes];
  };
  const write = (...names: readonly string[]): void => {
    for (const name of names) writeFileSync(join(folder, name), 'after');
  };
  return { folder, unwatched, change, write };
}

test.each(['worker.py', 'new.py', 'lib/helper.py', 'lib/secret.txt', 'kept.tmp.py', 'config.json'])(
  'a change of %s is told once, and the next one too',
  async (name) => {
    const { change, write } = watched();
    const twice = () => {
      write(name);
      write(name);
    };
    expect([await change(twice), await change(twice)]).toEqual([[name], [name]]);
  },
);

test('a file that is replaced, as editors do it, and files of a new folder', async () => {
  const { folder, change, write } = watched();
  const replace = (): void => {
    write('lib/made.py');
    renameSync(join(folder, 'lib/made.py'), join(folder, 'worker.py'));
  };
  expect(await change(replace)).toEqual(['worker.py']);
  const make = (): void => {
    mkdirSync(join(folder, 'more'));
    write('more/a.py');
  };
  expect(await change(make)).toEqual(['more/a.py']);
});

test('what .gitignore names here, above and below, what programs write, and virtual environments are no change', async () => {
  const { change, write } = watched();
  const ignored = () => {
    write('ignored.py', 'secret.py', 'a.tmp.py', 'data/a.py', 'models/a.py', 'lib/made.py', 'env/a.py');
    write('results.jsonl', 'results.jsonl.journal', 'worker.log', 'lib/a.pyc', 'node_modules/a.js');
    write('state.json', 'state.json.new', 'worker.py');
  };
  expect(await change(ignored)).toEqual(['worker.py']);
});

test('links are not followed: to another folder, to a file, in a circle, to the root, to nothing', async () => {
  const other = temporaryDirectory();
  writeFileSync(join(other, 'file.py'), 'before');
  const { change, unwatched, write } = watched((folder) => {
    symlinkSync(other, join(folder, 'link'));
    symlinkSync(join(other, 'file.py'), join(folder, 'link.py'));
    symlinkSync(folder, join(folder, 'lib', 'circle'));
    symlinkSync('/', join(folder, 'root'));
    symlinkSync(join(folder, 'missing'), join(folder, 'dangling'));
  });
  const both = (): void => {
    writeFileSync(join(other, 'file.py'), 'after');
    write('worker.py');
  };
  expect(await change(both)).toEqual(['worker.py']);
  expect(unwatched).toEqual([]);
});

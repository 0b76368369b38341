import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createIgnored } from '../../../../src/host/workers/watch-files.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

/** A repository whose directory `app` is watched. */
function watched(files: Readonly<Record<string, string>> = {}) {
  const top = temporaryDirectory();
  const root = join(top, 'app');
  mkdirSync(join(top, '.git'));
  mkdirSync(root);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, name)), { recursive: true });
    writeFileSync(join(top, name), text);
  }
  const isIgnored = createIgnored(root, [join(root, 'state.json'), join(root, 'berth') + sep]);
  return {
    file: (name: string) => isIgnored(join(root, name), false),
    directory: (name: string) => isIgnored(join(root, name), true),
  };
}

describe('what is not watched', () => {
  test.each([
    'node_modules/a.js',
    'lib/__pycache__/a.py',
    '.git/index',
    'results.jsonl',
    'results.jsonl.journal',
    'worker.log',
    'state.json',
    'state.json.lock',
    'berth/remembered/jobs-default.json',
    '../other.py',
  ])('%s', (name) => {
    expect(watched().file(name)).toBe(true);
  });

  test('a virtual environment of Python', () => {
    const { directory } = watched({ 'app/env/pyvenv.cfg': '', 'app/lib/a.py': '' });
    expect([directory('env'), directory('lib')]).toEqual([true, false]);
  });

  test('what a .gitignore names: here, above, below, with its exceptions', () => {
    const { file, directory } = watched({
      '.gitignore': 'secret.py\n/app/models/\n',
      'app/.gitignore': 'data/\n*.tmp.py\n!kept.tmp.py\n',
      'app/lib/.gitignore': 'generated.py\n',
    });
    expect(['secret.py', 'models/a.bin', 'data/a.txt', 'a.tmp.py', 'lib/generated.py'].map(file)).toEqual(
      Array(5).fill(true),
    );
    expect([directory('models'), directory('data')]).toEqual([true, true]);
    expect(['kept.tmp.py', 'generated.py', 'lib/a.py', 'models.py'].map(file)).toEqual(Array(4).fill(false));
  });

  test.each(['worker.py', 'berth.py', 'lib/helper.py', 'prompt.txt', 'config.json'])('%s is watched', (name) => {
    expect(watched().file(name)).toBe(false);
  });
});

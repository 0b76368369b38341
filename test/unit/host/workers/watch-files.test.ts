import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { realClock } from '../../../../src/host/clock.ts';
import { watchFiles } from '../../../../src/host/workers/watch-files.ts';
import { temporaryDirectory } from '../../../support/files/temporary-directory.ts';

/** A directory that is watched for the endpoints `a` and `b`. */
async function watched() {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'lib'));
  for (const name of ['worker.py', 'lib/helper.py']) writeFileSync(join(directory, name), 'before');
  writeFileSync(join(directory, '.gitignore'), 'ignored.py\n');
  const changes: string[] = [];
  const often: string[] = [];
  let wake = (): void => undefined;
  const end = await watchFiles([{ directory, endpoints: ['a', 'b'] }], {
    clock: realClock,
    ownFiles: [],
    onChange: (endpoints, file) => {
      changes.push(`${endpoints.join()} ${file}`);
      wake();
    },
    onOften: (file) => often.push(file),
  });
  onTestFinished(end);
  return {
    directory,
    changes,
    often,
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
  expect(changes).toEqual(['a,b worker.py', `a,b ${join('lib', 'helper.py')}`]);
});

test('a file that is replaced, as editors do it, and a new one', async () => {
  const { directory, changes, write, change } = await watched();
  let next = change();
  write('worker.py.new~');
  renameSync(join(directory, 'worker.py.new~'), join(directory, 'worker.py'));
  await next;
  expect(changes).toEqual(['a,b worker.py']);
  next = change();
  write('new.py');
  await next;
  expect(changes[1]).toBe('a,b new.py');
});

test('files of .gitignore and files that programs write are no change', async () => {
  const { changes, write, change } = await watched();
  const next = change();
  for (const name of ['ignored.py', 'results.jsonl', 'worker.log', 'lib/a.pyc']) write(name);
  write('worker.py');
  await next;
  expect(changes).toEqual(['a,b worker.py']);
});

test('a file that changes all the time is told, and then left alone', async () => {
  const { changes, often, write, change } = await watched();
  for (let time = 0; time < 4; time++) {
    const next = change();
    write('out.json', String(time));
    await next;
  }
  for (let time = 4; often.length === 0; time++) {
    write('out.json', String(time));
    await realClock.sleep(20);
  }
  expect([changes.length, often]).toEqual([4, ['out.json']]);
  const next = change();
  write('worker.py');
  await next;
  expect(changes[4]).toBe('a,b worker.py');
});

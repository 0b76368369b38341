import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { openManifest } from '../../../../../src/batch/results/outputs/manifest.ts';
import { openDurable } from '../../../../../src/host/files/durable-files.ts';
import { realLocks } from '../../../../support/files/real-locks.ts';
import { temporaryDirectory } from '../../../../support/files/temporary-directory.ts';

const LINE = '{"item":1,"index":0,"address":"a","addressSha256":"","file":"1.png","bytes":1,"sha256":""}\n';

const open = (folder: string) =>
  openManifest(
    openDurable({ stdin: Readable.from([]), cwd: folder }, new AbortController().signal, realLocks()),
    'manifest.jsonl',
  );

test.each<readonly [string, (path: string) => void]>([
  [
    'text without an end of line',
    (path) => {
      writeFileSync(path, '{"mine": true}');
    },
  ],
  [
    'text of another kind',
    (path) => {
      writeFileSync(path, '{"mine": true}\n');
    },
  ],
  [
    'a line without the digest of an address',
    (path) => {
      writeFileSync(path, '{"item":1,"index":0,"file":"1.png","bytes":1}\n');
    },
  ],
  ['a pipe', (path) => execFileSync('mkfifo', [path])],
  [
    'a folder',
    (path) => {
      mkdirSync(path);
    },
  ],
  [
    'a link to a manifest',
    (path) => {
      writeFileSync(`${path}.other`, LINE);
      symlinkSync(`${path}.other`, path);
    },
  ],
  [
    'a link to a file of another kind',
    (path) => {
      writeFileSync(`${path}.other`, 'mine');
      symlinkSync(`${path}.other`, path);
    },
  ],
  [
    'a link to nowhere',
    (path) => {
      symlinkSync(`${path}.none`, path);
    },
  ],
])('%s in the place of the manifest is refused and left as it is', async (_, make) => {
  const folder = temporaryDirectory();
  const path = join(folder, 'manifest.jsonl');
  make(path);
  const kind = lstatSync(path).mode;
  const content = (): string => (lstatSync(path).isFile() ? readFileSync(path, 'utf8') : '');
  const before = content();
  await expect(open(folder)).rejects.toMatchObject({
    exit: 14,
    message: expect.stringContaining('manifest.jsonl') as string,
  });
  expect([lstatSync(path).mode, content()]).toEqual([kind, before]);
});

test('a line that was not written to its end is cut off after a line of the manifest', async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'manifest.jsonl'), `${LINE}{"item":2,`);
  const manifest = await open(folder);
  expect(manifest.find(1, 0)).toMatchObject({ file: '1.png' });
  await manifest.close();
  expect(readFileSync(join(folder, 'manifest.jsonl'), 'utf8')).toBe(LINE);
});

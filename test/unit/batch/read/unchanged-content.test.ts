import { expect, test } from 'vitest';
import { openContent } from '../../../../src/batch/read/unchanged-content.ts';
import { createFolderStorage } from '../../../../src/storage/folder-storage.ts';
import { memoryFiles } from '../../../support/batch/memory-files.ts';
import { readAll } from '../../../support/storage/storage-cases.ts';

test('an input that is changed after it was compared is not read any more, and is named as the user named it', async () => {
  const files = memoryFiles({ '/in.jsonl': '{"n":1}\n{"n":2}\n' });
  const storage = createFolderStorage(files, () => 0.5);
  const object = await storage.describe('/in.jsonl');
  if (object === undefined) throw new Error('no object');
  const content = openContent({ storage, signal: new AbortController().signal }, object, 'in.jsonl');
  const digest = await content.digestOf([0, object.bytes]);
  await content.require(digest, [0, object.bytes]);
  expect((await readAll(content.read(8, 16))).toString()).toBe('{"n":2}\n');
  files.files.set('/in.jsonl', Buffer.from('{"n":1}\n{"n":3}\n{"n":4}\n'));
  const changed = { exit: 14, message: 'the input in.jsonl was changed after it was checked' };
  await expect(readAll(content.read(8, 16))).rejects.toMatchObject(changed);
  await expect(content.require(digest, [0, object.bytes])).rejects.toMatchObject(changed);
});

import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { orderResults } from '../../../../../src/batch/stores/file/results/order-results.ts';
import { memoryFiles } from '../../../../support/batch/memory-files.ts';

const PATH = 'r.jsonl';

test('results that another program has changed, in the same length, are not sorted', async () => {
  const written = '{"item":2,"output":"a"}\n{"item":1,"output":"b"}\n';
  const changed = written.replace('"a"', '"x"');
  const files = memoryFiles({ [PATH]: Buffer.from(changed) });
  const records: unknown[] = [];
  const sorting = orderResults(
    files,
    PATH,
    { resultBytes: written.length, checksum: crc32(written) },
    async (record) => {
      records.push(record);
    },
    () => true,
    new AbortController().signal,
  );
  await expect(sorting).rejects.toMatchObject({ exit: 14 });
  expect(records).toEqual([]);
  expect([...files.files.keys()]).toEqual([PATH]);
  expect(Buffer.from(files.files.get(PATH) ?? []).toString()).toBe(changed);
});

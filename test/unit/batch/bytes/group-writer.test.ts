import { expect, test } from 'vitest';
import { createGroupWriter } from '../../../../src/batch/bytes/synced-files.ts';

test('records that were queued without a waiter fail together with the group', async () => {
  const unheard: unknown[] = [];
  const hear = (error: unknown): unknown => unheard.push(error);
  process.on('unhandledRejection', hear);
  const full = async (): Promise<never> => Promise.reject(new Error('the disk is full'));
  const nothing = async (): Promise<void> => undefined;
  const appender = createGroupWriter({
    append: full,
    sync: nothing,
    check: () => Promise.resolve(),
    truncate: nothing,
    close: nothing,
  });
  const long = 'x'.repeat(900_000);
  void appender.append(long);
  await expect(appender.append(long)).rejects.toThrow('the disk is full');
  await new Promise(setImmediate);
  process.off('unhandledRejection', hear);
  expect(unheard).toEqual([]);
});

import { expect, test } from 'vitest';
import { recoverBatch } from '../../../src/batch/store/recover-batch.ts';
import { journalPath } from '../../../src/batch/store/file-names.ts';
import { OUT } from './harness.ts';
import { afterKill } from './memory-files.ts';
import { kept, scripted } from './scripted.ts';

test('no result is written before the journal knows its job, however long the disk takes', async () => {
  let free = (): void => undefined;
  const held = new Promise<void>((resolve) => (free = resolve));
  // The journal cannot be synced from the first submission on.
  const place = await scripted(3, kept, async (path) => {
    if (path === journalPath(OUT) && place.asked.length > 0) await held;
  });
  const running = place.run(place.batch, { timeoutMs: 60_000 });
  while (place.clock.now() < place.batch.header.createdAt + 60_000) await new Promise(setImmediate);
  const left = afterKill(place.files);
  free();
  await running;
  const again = await recoverBatch(left, OUT, { wantFailed: false, resubmitUnknown: false });
  expect(again.repairs.filter((line) => line.includes('results file'))).toEqual([]);
});

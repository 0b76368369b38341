import { expect, test } from 'vitest';
import { recoverBatch } from '../../../../src/batch/store/open-batch.ts';
import { journalPath } from '../../../../src/batch/store/paths.ts';
import { OUT } from '../../../support/batch/runner-fixture.ts';
import { afterKill } from '../../../support/batch/memory-files.ts';
import { answerNormally, createScriptedService } from '../../../support/batch/scripted-service.ts';

test('no result is written before its job is in the journal, however slow the disk is', async () => {
  let free = (): void => undefined;
  const held = new Promise<void>((resolve) => (free = resolve));
  // The journal cannot be synced from the first submission on.
  const fixture = await createScriptedService(3, answerNormally, async (path) => {
    if (path === journalPath(OUT) && fixture.asked.length > 0) await held;
  });
  const running = fixture.run(fixture.batch, { maxTime: 60_000 });
  while (fixture.clock.now() < fixture.batch.header.createdAt + 60_000) await new Promise(setImmediate);
  const left = afterKill(fixture.files);
  free();
  await running;
  const again = await recoverBatch(left, OUT, {});
  expect(again.repairs.filter((line) => line.includes('results file'))).toEqual([]);
});

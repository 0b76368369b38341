import { describe, expect, test } from 'vitest';
import { OUT } from '../../../support/batch/runner-fixture.ts';
import {
  accepted,
  completed,
  failed,
  createScriptedService,
  type ScriptedService,
} from '../../../support/batch/scripted-service.ts';

/** Three jobs that failed, and then run again without coming to an end; `end` has them complete. */
async function runningAgain(): Promise<ScriptedService & { readonly end: () => void }> {
  let stage: 'first' | 'again' | 'ends' = 'first';
  const fixture = await createScriptedService(3, (asked) => {
    if (asked.operation === 'run') return accepted(asked);
    if (asked.operation === 'retry') stage = 'again';
    if (stage === 'ends') return completed(asked);
    return stage === 'first' ? failed(asked) : { id: asked.job, status: 'IN_PROGRESS' };
  });
  await fixture.run(fixture.batch);
  await fixture.batch.close();
  const again = await fixture.resume({ settings: { retryFailed: 1 } });
  const stopped = await fixture.run(again, { retryFailed: 1, maxTime: 1000 });
  expect(stopped).toMatchObject({ rerunCount: 3, counts: { inFlight: 3 } });
  await again.close();
  return { ...fixture, end: () => (stage = 'ends') };
}

const items = ({ files }: ScriptedService): readonly unknown[] =>
  [...files.text(OUT).matchAll(/^\{"item":(\d+),.*"status":"(\w+)"/gm)].map(([, item, status]) => [item, status]);

describe('jobs that run again while a batch is stopped and resumed', () => {
  test('leave one line each, whichever run sees them end', async () => {
    const fixture = await runningAgain();
    fixture.end();
    const batch = await fixture.resume();
    const end = await fixture.run(batch);
    expect(end).toMatchObject({ rerunCount: 0, counts: { completed: 3 } });
    expect(items(fixture)).toEqual(['1', '2', '3'].map((item) => [item, 'COMPLETED']));
    await batch.close();
    expect(await fixture.resume()).toMatchObject({ hasRerunItems: false });
  });

  test('keep their results when the disk has no room to sort them, and the batch can resume', async () => {
    const fixture = await runningAgain();
    fixture.end();
    fixture.files.disk = (path, bytes) =>
      path === `${OUT}.ordered` ? { takes: 0, error: 'ENOSPC' } : { takes: bytes };
    const batch = await fixture.resume();
    const end = await fixture.run(batch);
    expect(end).toMatchObject({ counts: { completed: 3 }, stopped: { reason: 'error', failure: { exit: 14 } } });
    await batch.close();
    fixture.files.disk = undefined;
    await fixture.run(await fixture.resume());
    expect(items(fixture)).toHaveLength(3);
  });
});

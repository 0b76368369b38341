import { describe, expect, test } from 'vitest';
import { OUT } from './harness.ts';
import { accepted, completed, failed, scripted, type Scripted } from './scripted.ts';

/** Three jobs that failed, and then run again without coming to an end; `end` has them complete. */
async function runningAgain(): Promise<Scripted & { readonly end: () => void }> {
  let stage: 'first' | 'again' | 'ends' = 'first';
  const place = await scripted(3, (asked) => {
    if (asked.operation === 'run') return accepted(asked);
    if (asked.operation === 'retry') stage = 'again';
    if (stage === 'ends') return completed(asked);
    return stage === 'first' ? failed(asked) : { id: asked.job, status: 'IN_PROGRESS' };
  });
  await place.run(place.batch);
  await place.batch.close();
  const again = await place.resume({ wantFailed: true });
  const stopped = await place.run(again, { retryFailed: 1, timeoutMs: 1000 });
  expect(stopped).toMatchObject({ revived: 3, counts: { inFlight: 3 } });
  await again.close();
  return { ...place, end: () => (stage = 'ends') };
}

const items = ({ files }: Scripted): readonly unknown[] =>
  [...files.text(OUT).matchAll(/^\{"item":(\d+),.*"status":"(\w+)"/gm)].map(([, item, status]) => [item, status]);

describe('jobs that run again while a batch is stopped and taken up', () => {
  test('leave one line each, whoever sees them end', async () => {
    const place = await runningAgain();
    place.end();
    const batch = await place.resume();
    const end = await place.run(batch);
    expect(end).toMatchObject({ revived: 0, counts: { completed: 3 } });
    expect(items(place)).toEqual(['1', '2', '3'].map((item) => [item, 'COMPLETED']));
    await batch.close();
    expect(await place.resume()).toMatchObject({ ranAgain: false });
  });

  test('have ended even where the disk has no room for the results in order: that stops it, and it can go on', async () => {
    const place = await runningAgain();
    place.end();
    place.files.disk = (path, bytes) =>
      path.startsWith(`${OUT}.sorting`) ? { takes: 0, error: 'ENOSPC' } : { takes: bytes };
    const batch = await place.resume();
    const end = await place.run(batch);
    expect(end).toMatchObject({ counts: { completed: 3 }, stopped: { reason: 'error', failure: { exit: 14 } } });
    await batch.close();
    place.files.disk = undefined;
    await place.run(await place.resume());
    expect(items(place)).toHaveLength(3);
  });
});

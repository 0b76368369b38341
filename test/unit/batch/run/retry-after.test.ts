import { expect, test } from 'vitest';
import { EXIT } from '../../../../src/core/exit-codes.ts';
import { answerNormally, createScriptedService, failureWith } from '../../../support/batch/scripted-service.ts';

test('nothing is sent during a Retry-After wait, not even items whose intent was being synced', async () => {
  let said: { readonly at: number; readonly requests: number } | undefined;
  const fixture = await createScriptedService(
    300,
    (asked) => {
      if (asked.operation === 'run' && asked.n === 150 && said === undefined) {
        said = { at: fixture.clock.now(), requests: fixture.asked.length };
        throw failureWith(EXIT.rateLimited, 60);
      }
      return answerNormally(asked);
    },
    async (_, clock) => {
      for (let turn = 0; turn < 6; turn++) await clock.during(new Promise(setImmediate));
    },
  );
  const end = await fixture.run(fixture.batch, { rate: 2000, concurrency: 32, inFlight: 1000 });
  expect(end.accounting.completed).toBe(300);
  const { at, requests } = said ?? { at: 0, requests: 0 };
  const early = fixture.asked.slice(requests).filter((asked) => asked.operation === 'run' && asked.at < at + 60_000);
  expect(early).toEqual([]);
});

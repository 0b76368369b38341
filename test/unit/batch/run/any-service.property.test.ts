import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countsAddUp } from '../../../../src/batch/model/item-states.ts';
import type { StopReason } from '../../../../src/batch/model/batch.ts';
import { EXIT } from '../../../../src/core/exit-codes.ts';
import type { Json } from '../../../../src/core/json.ts';
import { OUT } from '../../../support/batch/runner-fixture.ts';
import {
  accepted,
  completed,
  failed,
  createScriptedService,
  failureWith,
  unreachable,
  type ScriptedRequest,
} from '../../../support/batch/scripted-service.ts';

const ITEMS = 40;

/** Ways to answer a request; `may` where a submission that is answered so may have been taken. */
const MOODS: readonly { readonly may: boolean; readonly answer: (asked: ScriptedRequest, at: number) => Json }[] = [
  { may: true, answer: (asked) => (asked.operation === 'status' ? completed(asked) : accepted(asked)) },
  { may: true, answer: (asked) => (asked.operation === 'run' ? accepted(asked) : failed(asked)) },
  { may: true, answer: (asked) => (asked.operation === 'run' ? accepted(asked) : { id: asked.job, status: 'NEW' }) },
  { may: true, answer: (asked) => (asked.operation === 'run' ? accepted(asked) : { id: 'another' }) },
  { may: true, answer: (_, at) => (at % 2 === 0 ? null : { id: '' }) },
  {
    may: true,
    answer: ({ operation }) => {
      throw operation === 'status' ? unreachable() : failureWith(EXIT.unknown);
    },
  },
  {
    may: true,
    answer: (asked) => {
      if (asked.operation === 'run') return accepted(asked);
      throw failureWith(EXIT.notFound);
    },
  },
  {
    may: false,
    answer: () => {
      throw failureWith(EXIT.refused);
    },
  },
  {
    may: false,
    answer: (_, at) => {
      throw failureWith(EXIT.rateLimited, at % 3 === 0 ? undefined : at % 4);
    },
  },
  {
    may: false,
    answer: () => {
      throw unreachable();
    },
  },
];
/** What may stop such a run: the test itself, or a service that does not recover within two minutes. */
const STOPS: readonly StopReason[] = ['interrupt', 'error'];
const [FINE] = MOODS as readonly [(typeof MOODS)[number]];
const mood = fc.oneof({ weight: 4, arbitrary: fc.constant(FINE) }, { weight: 5, arbitrary: fc.constantFrom(...MOODS) });

test('for any answers of the service, a batch ends, accounts for every item and sends none twice', async () => {
  const moods = fc.array(mood, { minLength: 200, maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(moods, fc.nat(2), fc.option(fc.nat(150), { nil: undefined }), async (day, retryFailed, stopAt) => {
      const interrupt = new AbortController();
      const sent: number[] = [];
      let at = 0;
      const fixture = await createScriptedService(ITEMS, (asked) => {
        const { may, answer } = day[at] ?? FINE;
        if (at === stopAt) interrupt.abort(new Error('enough'));
        at += 1;
        if (may && asked.operation === 'run') sent.push(asked.n);
        return answer(asked, at);
      });
      const limits = { retryFailed, concurrency: 6, inFlight: 15 };
      const first = await fixture.run(fixture.batch, limits, interrupt.signal);
      await fixture.batch.close();
      // From here on the service is fine, unless the moods of the day are not over.
      const again = await fixture.resume();
      const rest = await fixture.run(again, limits);
      await again.close();

      for (const { counts, stopped } of [first, rest]) {
        expect(countsAddUp(counts)).toBe(true);
        if (stopped === undefined) expect(counts.waiting + counts.inFlight).toBe(0);
        else expect(STOPS).toContain(stopped.reason);
      }
      expect(new Set(sent).size).toBe(sent.length);
      const results = [...fixture.files.text(OUT).matchAll(/^\{"item":(\d+)/gm)].map(([, item]) => item);
      expect(new Set(results).size).toBe(results.length);
      const { completed: done, failed: bad, expired } = rest.counts;
      expect(results.length).toBe(done + bad + expired);
    }),
    { numRuns: 25 },
  );
});

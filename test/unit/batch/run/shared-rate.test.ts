import type { SharedPace } from '../../../../src/batch/model/run-records.ts';
import { expect, test } from 'vitest';
import { EXIT } from '../../../../src/core/exit-codes.ts';
import { createMemoryPace } from '../../../support/batch/memory-pace.ts';
import {
  answerNormally,
  createScriptedService,
  failureWith,
  type ScriptedRequest,
  type ScriptedService,
} from '../../../support/batch/scripted-service.ts';

const RATE = 40;

/** The paces of a driver, beside another driver that takes all that it is granted in every second and sends nothing. */
function openPaces(fixture: ScriptedService, withOther: boolean) {
  const limits = { rate: RATE, concurrency: 8 };
  const open = (): SharedPace => {
    const pace = createMemoryPace(fixture.clock);
    const mine = pace.open('mine', { batch: 'mine', batchRate: 1000, limits });
    const other = pace.open('other', { batch: 'other', batchRate: 1000, limits });
    return {
      ...mine,
      next: async (wanted) => {
        if (withOther) await other.next(1000);
        return await mine.next(wanted);
      },
    };
  };
  return { submit: open(), poll: open() };
}

/** How many requests were sent in each second after the first, whole seconds only. */
function perSecond(asked: readonly ScriptedRequest[], operation: ScriptedRequest['operation']): readonly number[] {
  const seconds = asked.flatMap((each) => (each.operation === operation ? [Math.floor(each.at / 1000)] : []));
  const [first, last] = [Math.min(...seconds), Math.max(...seconds)];
  return Array.from({ length: Math.max(0, last - first - 1) }, (_, at) =>
    seconds.reduce((count, second) => (second === first + 1 + at ? count + 1 : count), 0),
  );
}

test.each([
  { said: 'alone', withOther: false, share: RATE },
  { said: 'beside another one', withOther: true, share: RATE / 2 },
])('a driver $said sends its share in every second', async ({ withOther, share }) => {
  const fixture = await createScriptedService(400, answerNormally);
  const limits = { rate: 1000, concurrency: 32, inFlight: 1000 };
  const end = await fixture.run(fixture.batch, limits, undefined, openPaces(fixture, withOther));
  expect(end.counts.completed).toBe(400);
  const submissions = perSecond(fixture.asked, 'run');
  expect(submissions.length).toBeGreaterThan(5);
  expect(new Set(submissions.slice(1))).toEqual(new Set([share]));
  for (const polls of perSecond(fixture.asked, 'status')) expect(polls).toBeLessThanOrEqual(share);
});

test('a 429 slows down the pace that all share', async () => {
  let throttled: number | undefined;
  const fixture = await createScriptedService(300, (asked) => {
    if (asked.operation === 'run' && asked.n === 60 && throttled === undefined) {
      throttled = asked.at;
      throw failureWith(EXIT.rateLimited, 5);
    }
    return answerNormally(asked);
  });
  const paces = openPaces(fixture, false);
  const told: (number | undefined)[] = [];
  const submit = {
    ...paces.submit,
    slowDown: (retryAfterMs: number | undefined, sentAt: number) => {
      told.push(retryAfterMs);
      return paces.submit.slowDown(retryAfterMs, sentAt);
    },
  };
  const limits = { rate: 1000, concurrency: 32, inFlight: 1000 };
  const end = await fixture.run(fixture.batch, limits, undefined, { ...paces, submit });
  expect(end.counts.completed).toBe(300);
  expect(told).toEqual([5000]);
  const after = (throttled ?? 0) + 1;
  const early = fixture.asked.filter(({ operation, at }) => operation === 'run' && at >= after && at < after + 4999);
  expect(early).toEqual([]);
});

test('a driver whose database grants nothing sends nothing, and goes on when it does', async () => {
  const fixture = await createScriptedService(60, answerNormally);
  const paces = openPaces(fixture, false);
  const submittedAtGrants: number[] = [];
  const submit = {
    ...paces.submit,
    next: async (wanted: number) => {
      submittedAtGrants.push(fixture.asked.length);
      if (submittedAtGrants.length < 10) throw new Error('the database is not reached');
      return await paces.submit.next(wanted);
    },
  };
  const end = await fixture.run(fixture.batch, { rate: 1000 }, undefined, { ...paces, submit });
  expect(end.counts.completed).toBe(60);
  expect(submittedAtGrants.slice(0, 10)).toEqual(Array(10).fill(0));
});

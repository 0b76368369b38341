import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../../src/core/exit-codes.ts';
import { OUT } from '../../../support/batch/runner-fixture.ts';
import {
  accepted,
  completed,
  failed,
  answerNormally,
  createScriptedService,
  failureWith,
  unreachable,
} from '../../../support/batch/scripted-service.ts';

describe('a job that cannot be looked at', () => {
  test('holds nobody up: all others end first, and then it is told', async () => {
    const fixture = await createScriptedService(80, (asked) => {
      if (asked.operation === 'status' && asked.n === 3) throw unreachable();
      return answerNormally(asked);
    });
    const end = await fixture.run(fixture.batch, { maxTime: Number.POSITIVE_INFINITY });
    expect(end.counts).toMatchObject({ completed: 79, inFlight: 1 });
    expect(end.stopped).toMatchObject({ reason: 'error', failure: { exit: EXIT.unavailable } });
    const others = fixture.asked.filter(({ n }) => n !== 3);
    expect((others.at(-1)?.at ?? 0) - (others[0]?.at ?? 0)).toBeLessThan(30_000);
  });
});

test('a retry whose answer is lost counts as one: a batch comes to its end', async () => {
  const fixture = await createScriptedService(2, (asked) => {
    if (asked.operation === 'run') return accepted(asked);
    if (asked.operation === 'retry') throw failureWith(EXIT.unknown);
    return failed(asked);
  });
  const end = await fixture.run(fixture.batch, { retryFailed: 2 });
  expect(end.counts).toMatchObject({ failed: 2 });
  expect(fixture.asked.filter(({ operation }) => operation === 'retry')).toHaveLength(4);
});

test('an answer about another job is nobody’s result', async () => {
  let mixed = 0;
  const fixture = await createScriptedService(20, (asked) => {
    if (asked.operation === 'status' && mixed < 3) return completed({ ...asked, job: `other${String((mixed += 1))}` });
    return answerNormally(asked);
  });
  const end = await fixture.run(fixture.batch);
  expect(mixed).toBe(3);
  expect(end.counts).toMatchObject({ completed: 20 });
  const looks = fixture.asked.filter(({ operation }) => operation === 'status');
  expect(looks.length).toBe(23);
});

test('jobs that were taken by a clock that was ahead are looked at now', async () => {
  const fixture = await createScriptedService(5, answerNormally);
  fixture.clock.jumpWall(7_200_000);
  const sent = await fixture.run(fixture.batch, { maxTime: 1 });
  expect(sent.counts).toMatchObject({ inFlight: 5 });
  await fixture.batch.close();
  fixture.clock.jumpWall(-7_200_000);
  const from = fixture.clock.now();
  const end = await fixture.run(await fixture.resume());
  expect(end.counts).toMatchObject({ completed: 5 });
  expect(fixture.clock.now() - from).toBeLessThan(2000);
});

test('a balance that is too low stops the batch, and no item fails for it', async () => {
  const fixture = await createScriptedService(50, (asked) => {
    if (asked.operation === 'run') throw failureWith(EXIT.refused).with({ status: 402 });
    return completed(asked);
  });
  const end = await fixture.run(fixture.batch);
  expect(end.stopped).toMatchObject({ reason: 'error', failure: { status: 402 } });
  expect(end.counts).toMatchObject({ waiting: 50, failed: 0, unknown: 0 });
});

test('a job that the service does not have yet is asked for again for a minute, and only then counts as expired', async () => {
  const polls = new Map<number, number>();
  const fixture = await createScriptedService(4, (asked) => {
    if (asked.operation !== 'status') return answerNormally(asked);
    const count = (polls.get(asked.n) ?? 0) + 1;
    polls.set(asked.n, count);
    if (asked.n === 1 || count === 1) throw failureWith(EXIT.notFound);
    return completed(asked);
  });
  const end = await fixture.run(fixture.batch);
  expect(end.counts).toMatchObject({ completed: 3, expired: 1 });
  expect(polls.get(1)).toBeLessThan(12);
  const { asked, clock } = fixture;
  const last = asked.findLast(({ operation, n }) => operation === 'status' && n === 1)?.at ?? 0;
  expect(last - (asked[0]?.at ?? 0)).toBeGreaterThanOrEqual(60_000);
  expect(clock.now() - (asked[0]?.at ?? 0)).toBeLessThan(70_000);
});

test('while the disk is slow, no more than a few hundred results are in memory', async () => {
  let polled: number | undefined;
  const fixture = await createScriptedService(800, answerNormally, async (path, clock) => {
    if (path !== OUT || polled !== undefined) return;
    polled = 0;
    await clock.sleep(600_000);
    polled = fixture.asked.filter(({ operation }) => operation === 'status').length;
  });
  const limits = { concurrency: 32, rate: 2000, inFlight: 800 };
  const end = await fixture.run(fixture.batch, limits);
  expect(end.counts.completed).toBe(800);
  expect(polled).toBeGreaterThan(200);
  expect(polled).toBeLessThan(256 + 32);
});

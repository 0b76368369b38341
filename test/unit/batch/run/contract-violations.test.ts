import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../../src/core/exit-codes.ts';
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
    const fixture = await createScriptedService(400, (asked) => {
      if (asked.operation === 'status' && asked.n === 3) throw unreachable();
      return answerNormally(asked);
    });
    const end = await fixture.run(fixture.batch);
    expect(end.counts).toMatchObject({ completed: 399, inFlight: 1 });
    expect(end.stopped).toMatchObject({ reason: 'error', failure: { exit: EXIT.unavailable } });
    const others = fixture.asked.filter(({ n }) => n !== 3);
    expect((others.at(-1)?.at ?? 0) - (others[0]?.at ?? 0)).toBeLessThan(30_000);
  });

  test('for hours, as the service says, stops the batch with that', async () => {
    const fixture = await createScriptedService(5, (asked) => {
      if (asked.operation === 'status') throw failureWith(EXIT.rateLimited, 40_000);
      return answerNormally(asked);
    });
    const end = await fixture.run(fixture.batch);
    expect(end.stopped).toMatchObject({ reason: 'error', failure: { exit: EXIT.rateLimited } });
    expect(end.counts).toMatchObject({ planned: 5, unknown: 0 });
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
  const sent = await fixture.run(fixture.batch, { timeoutMs: 1 });
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

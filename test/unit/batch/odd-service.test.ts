import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/core/exit-codes.ts';
import { accepted, completed, failed, kept, scripted, trouble, unreachable } from './scripted.ts';

describe('a job that cannot be looked at', () => {
  test('holds nobody up: all others end first, and then it is told', async () => {
    const place = await scripted(400, (asked) => {
      if (asked.operation === 'status' && asked.n === 3) throw unreachable();
      return kept(asked);
    });
    const end = await place.run(place.batch);
    expect(end.counts).toMatchObject({ completed: 399, inFlight: 1 });
    expect(end.stopped).toMatchObject({ reason: 'error', failure: { exit: EXIT.unavailable } });
    const others = place.asked.filter(({ n }) => n !== 3);
    expect((others.at(-1)?.at ?? 0) - (others[0]?.at ?? 0)).toBeLessThan(30_000);
  });

  test('for hours, as the service says, stops the batch with that', async () => {
    const place = await scripted(5, (asked) => {
      if (asked.operation === 'status') throw trouble(EXIT.rateLimited, 40_000);
      return kept(asked);
    });
    const end = await place.run(place.batch);
    expect(end.stopped).toMatchObject({ reason: 'error', failure: { exit: EXIT.rateLimited } });
    expect(end.counts).toMatchObject({ planned: 5, unknown: 0 });
  });
});

test('a retry whose answer is lost counts as one: a batch comes to its end', async () => {
  const place = await scripted(2, (asked) => {
    if (asked.operation === 'run') return accepted(asked);
    if (asked.operation === 'retry') throw trouble(EXIT.unknown);
    return failed(asked);
  });
  const end = await place.run(place.batch, { retryFailed: 2 });
  expect(end.counts).toMatchObject({ failed: 2 });
  expect(place.asked.filter(({ operation }) => operation === 'retry')).toHaveLength(4);
});

test('an answer about another job is nobody’s result', async () => {
  let mixed = 0;
  const place = await scripted(20, (asked) => {
    if (asked.operation === 'status' && mixed < 3) return completed({ ...asked, job: `other${String((mixed += 1))}` });
    return kept(asked);
  });
  const end = await place.run(place.batch);
  expect(mixed).toBe(3);
  expect(end.counts).toMatchObject({ completed: 20 });
  const looks = place.asked.filter(({ operation }) => operation === 'status');
  expect(looks.length).toBe(23);
});

test('jobs that were taken by a clock that was ahead are looked at now', async () => {
  const place = await scripted(5, kept);
  place.clock.jumpWall(7_200_000);
  const sent = await place.run(place.batch, { timeoutMs: 1 });
  expect(sent.counts).toMatchObject({ inFlight: 5 });
  await place.batch.close();
  place.clock.jumpWall(-7_200_000);
  const from = place.clock.now();
  const end = await place.run(await place.resume());
  expect(end.counts).toMatchObject({ completed: 5 });
  expect(place.clock.now() - from).toBeLessThan(2000);
});

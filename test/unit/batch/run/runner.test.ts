import { describe, expect, test } from 'vitest';
import { createRunnerFixture, lines, type RunnerFixture } from '../../../support/batch/runner-fixture.ts';
import type { RunEnd } from '../../../../src/batch/model/batch.ts';

const RUN = 'POST /v2/echo/run';

/** Each item has one line, its job ran its own input, and the service took nothing twice. */
async function expectExact(fixture: RunnerFixture, end: RunEnd, twice: readonly number[] = []): Promise<void> {
  const results = fixture.results();
  expect(new Set(results.map(({ item }) => item)).size).toBe(results.length);
  for (const { item, status, output } of results) if (status === 'COMPLETED') expect(output).toMatchObject({ n: item });
  for (const [input, count] of await fixture.submissions()) {
    const { n } = JSON.parse(input) as { n: number };
    expect(count, `submissions of item ${String(n)}`).toBeLessThanOrEqual(twice.includes(n) ? 2 : 1);
  }
  const { completed, failed, cancelled, timedOut, expired } = end.counts;
  expect(results.length).toBe(completed + failed + cancelled + timedOut + expired);
}

describe('a batch', () => {
  test('sends inputs byte for byte and keeps numbers exact', async () => {
    const fixture = await createRunnerFixture();
    const input = '{ "n" : 1 , "big":9007199254740993,"e":1.0, "t":"\\u00e4ä" }';
    const batch = await fixture.begin([input], { idField: 'big' });
    await fixture.run(batch);
    expect([...(await fixture.submissions()).keys()]).toEqual([input]);
    expect(fixture.durable.text('r.jsonl')).toMatch(
      /^\{"item":1,"id":9007199254740993,"job":"[^"]+","status":"COMPLETED"/,
    );
    expect(fixture.durable.text('r.jsonl')).toContain('"big":9007199254740993,"e":1.0');
  });

  test('never exceeds its concurrency', async () => {
    const fixture = await createRunnerFixture();
    let most = 0;
    const batch = await fixture.begin(lines(40));
    await fixture.run(batch, { concurrency: 3 }, { onWire: (active) => (most = Math.max(most, active)) });
    expect(most).toBe(3);
  });
});

describe('a batch with injected faults', () => {
  test('stops on a Retry-After of hours and keeps what it has', async () => {
    const fixture = await createRunnerFixture();
    await fixture.control('POST', '/local/fault', { kind: 'rate-limit', match: RUN, retryAfter: 40_000 });
    const end = await fixture.run(await fixture.begin(lines(5)));
    expect(end.stopped?.failure).toMatchObject({ exit: 6 });
    expect(end.counts).toMatchObject({ waiting: 5, unknown: 0 });
  });

  test('stops soon when every answer is 5xx, with few unknown submissions', async () => {
    const fixture = await createRunnerFixture();
    await fixture.control('POST', '/local/fault', { kind: 'server-error', match: RUN });
    const end = await fixture.run(await fixture.begin(lines(150)));
    expect(end.stopped?.failure).toMatchObject({ exit: 8 });
    expect(end.counts.unknown).toBeLessThan(60);
    expect(end.counts.waiting).toBeGreaterThan(90);
  });
});

describe('jobs that fail', () => {
  test('are retried as often as requested, under the same id', async () => {
    const fixture = await createRunnerFixture();
    const end = await fixture.run(await fixture.begin(lines(5, ',"times":2'), { endpoint: 'fail' }), {
      retryFailed: 2,
    });
    expect(end.counts).toMatchObject({ completed: 5, failed: 0 });
    expect(
      fixture
        .results()
        .map(({ item }) => item)
        .sort(),
    ).toEqual([1, 2, 3, 4, 5]);
    for (const count of (await fixture.submissions()).values()) expect(count).toBe(1);
  });
});

describe('an interrupt', () => {
  test('waits for answers in flight: no submission is unknown, and resume sends nothing again', async () => {
    const fixture = await createRunnerFixture();
    const interrupt = new AbortController();
    let posts = 0;
    const batch = await fixture.begin(lines(100));
    const end = await fixture.run(
      batch,
      {},
      {
        interrupt: interrupt.signal,
        before: (method) => {
          posts += method === 'POST' ? 1 : 0;
          if (posts === 30) interrupt.abort(new Error('enough'));
        },
      },
    );
    expect(end.stopped?.reason).toBe('interrupt');
    expect(end.counts).toMatchObject({ unknown: 0, planned: 100 });
    expect(end.counts.waiting).toBeGreaterThan(60);
    const rest = await fixture.run(await fixture.resume());
    expect(rest.counts.completed).toBe(100);
    await expectExact(fixture, rest);
  });

  test('an elapsed time limit waits for the answers in flight', async () => {
    const fixture = await createRunnerFixture();
    let posts = 0;
    const before = (method: string): void => {
      posts += method === 'POST' ? 1 : 0;
      if (posts === 5) fixture.clock.advance(60_000);
    };
    const end = await fixture.run(await fixture.begin(lines(100)), { maxTime: 30_000 }, { before });
    expect(end.stopped?.reason).toBe('timeout');
    expect(end.counts).toMatchObject({ unknown: 0 });
    expect(end.counts.inFlight).toBeGreaterThanOrEqual(5);
  });
});

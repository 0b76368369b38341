import { describe, expect, test } from 'vitest';
import { COLD_START_MS } from '../../../../src/local/queue/jobs/workers.ts';
import { queuesOf } from '../../../../src/local/queue/state/records.ts';
import { createHarness, idIn } from '../../../support/local/queue-fixture.ts';

const MINUTE = 60_000;

describe('status-sync', () => {
  test('waits for the end, and answers like status', async () => {
    const service = createHarness();
    const id = await service.submit('demo', '{"n":9007199254740993}');
    const waited = await service.call(`GET /demo/status-sync/${id}`);
    expect(waited.text).toContain('"output":{"n":9007199254740993}');
    expect(service.clock.slept.reduce((sum, span) => sum + span, 0)).toBe(COLD_START_MS + 1000);
    expect(await service.call(`GET /demo/status/${id}`)).toMatchObject({ status: 200, text: waited.text });
  });

  test('answers at once for a job that has ended', async () => {
    const service = createHarness();
    const id = await service.submit('fail', '{}');
    service.pass(5000);
    expect(await service.call(`GET /fail/status-sync/${id}`)).toMatchObject({ value: { status: 'FAILED' } });
    expect(service.clock.slept).toEqual([]);
  });

  test.each([
    ['', 90_000, 'IN_PROGRESS'],
    ['?wait=1000', 1000, 'IN_PROGRESS'],
    ['?wait=300000', COLD_START_MS + 299_000, 'COMPLETED'],
  ])('%s answers after %i ms with the job %s', async (query, wait, status) => {
    const service = createHarness();
    const id = await service.submit('sleep', '{"seconds":299}');
    const began = service.clock.now();
    expect((await service.call(`GET /sleep/status-sync/${id}${query}`)).value).toMatchObject({ id, status });
    expect(service.clock.now() - began).toBe(wait);
  });

  test.each(['?wait=999', '?wait=300001', '?wait=x', '?wait='])('refuses %s', async (query) => {
    const service = createHarness();
    const id = await service.submit('demo', '{}');
    expect((await service.call(`GET /demo/status-sync/${id}${query}`)).status).toBe(400);
  });

  test('an unknown job is not found', async () => {
    expect((await createHarness().call('GET /demo/status-sync/none')).status).toBe(404);
  });
});

describe('a clock jump during a wait', () => {
  const jumps = ['POST /demo/runsync', 'GET /demo/status-sync/'] as const;

  test.each(jumps)('%s: returns the result when the clock jumps past retention', async (request) => {
    const service = createHarness();
    const id = request.startsWith('GET') ? await service.submit('demo', '{"a":1}') : '';
    const waiting = service.call(`${request}${id}`, '{"input":{"a":1}}');
    // Once it waits, before its first sleep is over.
    while (service.clock.slept.length === 0) await Promise.resolve();
    service.pass(31 * MINUTE);
    const answer = await waiting;
    expect(answer).toMatchObject({
      status: 200,
      value: { status: 'COMPLETED', output: { a: 1 }, executionTime: 1000 },
    });
    expect((await service.call(`GET /demo/status/${idIn(answer)}`)).status).toBe(404);
    expect(queuesOf(service.state).awaited).toEqual({});
  });

  test('answers 404 when the clock jumps past the time to live of a running job', async () => {
    const service = createHarness();
    const waiting = service.call('POST /sleep/runsync', '{"input":{"seconds":100},"policy":{"ttl":10000}}');
    while (service.clock.slept.length === 0) await Promise.resolve();
    service.pass(31 * MINUTE);
    expect(await waiting).toMatchObject({ status: 404 });
    expect(queuesOf(service.state).awaited).toEqual({});
  });

  test('two requests that wait for one job both get its result', async () => {
    const service = createHarness();
    const id = await service.submit('demo', '{}');
    const waiting = [1, 2].map(() => service.call(`GET /demo/status-sync/${id}`));
    while (service.clock.slept.length < 2) await Promise.resolve();
    service.pass(31 * MINUTE);
    for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ value: { status: 'COMPLETED' } });
    expect(queuesOf(service.state).awaited).toEqual({});
  });

  test('waits of a killed process are removed after a day', async () => {
    const service = createHarness();
    const id = await service.submit('demo', '{}');
    queuesOf(service.state).awaited['job-of-another'] = { since: service.clock.now(), waiters: 1 };
    service.pass(23 * 60 * MINUTE);
    await service.call('POST /demo/runsync', '{"input":{}}');
    expect(Object.keys(queuesOf(service.state).awaited)).toEqual(['job-of-another']);
    service.pass(60 * MINUTE);
    await service.call('POST /demo/runsync', '{"input":{}}');
    expect(queuesOf(service.state).awaited).toEqual({});
    expect(queuesOf(service.state).jobs[id]).toBeUndefined();
  });
});

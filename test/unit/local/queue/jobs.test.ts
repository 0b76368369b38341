import { describe, expect, test } from 'vitest';
import { COLD_START_MS } from '../../../../src/local/queue/workers.ts';
import { createHarness, idIn } from '../../../support/local/queue-fixture.ts';

const MINUTE = 60_000;

describe('job transitions (specification 3.2)', () => {
  test('runsync: a job that ends within the wait comes back whole', async () => {
    const service = createHarness();
    const { value } = await service.call('POST /demo/runsync', '{"input":{"a":1}}');
    expect(value).toEqual({
      delayTime: COLD_START_MS,
      executionTime: 1000,
      id: expect.stringMatching(/^sync-[0-9a-f]{8}-[0-9a-f]{8}-u1$/) as string,
      output: { a: 1 },
      status: 'COMPLETED',
    });
  });

  test('a job passes through every status, with its times', async () => {
    const service = createHarness();
    const id = await service.submit('demo', '{"a":1}');
    service.pass(400);
    expect(await service.status('demo', id)).toEqual({ delayTime: 400, executionTime: 0, id, status: 'IN_QUEUE' });
    service.pass(COLD_START_MS - 400 + 300);
    expect(await service.status('demo', id)).toEqual({
      delayTime: COLD_START_MS,
      executionTime: 300,
      id,
      status: 'IN_PROGRESS',
    });
    service.pass(5000);
    expect(await service.status('demo', id)).toEqual({
      delayTime: COLD_START_MS,
      executionTime: 1000,
      id,
      output: { a: 1 },
      status: 'COMPLETED',
    });
  });

  test.each([
    ['IN_QUEUE', 0],
    ['IN_PROGRESS', COLD_START_MS + 500],
  ])('cancel from %s: CANCELLED, at once and for good', async (status, after) => {
    const service = createHarness();
    const id = await service.submit('demo', '{}');
    service.pass(after);
    expect(await service.status('demo', id)).toMatchObject({ status });
    expect(await service.call(`POST /demo/cancel/${id}`)).toMatchObject({
      status: 200,
      value: { id, status: 'CANCELLED' },
    });
    service.pass(MINUTE);
    expect(await service.status('demo', id)).toMatchObject({ status: 'CANCELLED' });
    expect((await service.status('demo', id)).output).toBeUndefined();
  });

  test('cancel of a job that has ended answers how it ended and changes nothing', async () => {
    const service = createHarness();
    const id = await service.submit('echo', '{}');
    service.pass(5000);
    expect(await service.call(`POST /echo/cancel/${id}`)).toMatchObject({
      status: 200,
      value: { id, status: 'COMPLETED' },
    });
  });

  test('retry of a FAILED job: same id, the original input, the earlier error gone', async () => {
    const service = createHarness();
    const id = await service.submit('fail', '{"times":1,"error":"first time"}');
    service.pass(5000);
    expect(await service.status('fail', id)).toMatchObject({ status: 'FAILED', error: 'first time' });
    expect(await service.call(`POST /fail/retry/${id}`)).toMatchObject({
      status: 200,
      value: { id, status: 'IN_QUEUE' },
    });
    expect((await service.status('fail', id)).error).toBeUndefined();
    service.pass(5000);
    expect(await service.status('fail', id)).toMatchObject({ status: 'COMPLETED', output: { attempts: 2 } });
  });

  test.each([
    ['IN_QUEUE', 'demo', 0],
    ['IN_PROGRESS', 'demo', COLD_START_MS + 1],
    ['COMPLETED', 'demo', 5000],
  ])('retry of a job that is %s: 409', async (status, endpoint, after) => {
    const service = createHarness();
    const id = await service.submit(endpoint, '{}');
    service.pass(after);
    const answer = await service.call(`POST /${endpoint}/retry/${id}`);
    expect(answer.status).toBe(409);
    expect(answer.text).toContain(status);
    expect(await service.status(endpoint, id)).toMatchObject({ status });
  });
});

describe('runsync', () => {
  test.each([
    ['IN_QUEUE', '1000', '{"seconds":1}', 1],
    ['IN_PROGRESS', '3000', '{"seconds":60}', 0],
  ])('a wait that ends first answers %s, and status goes on', async (status, wait, input, busy) => {
    const service = createHarness();
    // With the first worker busy and the others cold the job is still in the queue after a second.
    for (let job = 0; job < busy; job++) await service.submit('sleep', '{"seconds":30}');
    const from = service.clock.now();
    const answer = await service.call(`POST /sleep/runsync?wait=${wait}`, `{"input":${input}}`);
    expect(answer.value).toMatchObject({ status });
    expect(service.clock.now() - from).toBe(Number(wait));
    service.pass(62_000);
    expect(await service.status('sleep', idIn(answer))).toMatchObject({ status: 'COMPLETED' });
  });

  test('without wait it waits 90 seconds', async () => {
    const service = createHarness();
    const from = service.clock.now();
    const { value } = await service.call('POST /sleep/runsync', '{"input":{"seconds":1000}}');
    expect(value).toMatchObject({ status: 'IN_PROGRESS' });
    expect(service.clock.now() - from).toBe(90_000);
  });

  test('wait is a whole number of milliseconds from 1000 to 300000', async () => {
    for (const wait of ['999', '300001', '0', '-1', '1.5', '1e4', '', 'x'])
      for (const request of ['POST /echo/runsync', 'GET /echo/status-sync/none']) {
        const answer = await createHarness().call(`${request}?wait=${wait}`, '{"input":{}}');
        expect([wait, answer.status, answer.text]).toEqual([wait, 400, expect.stringContaining('1000 to 300000')]);
      }
  });
});

describe('purge and health (specification 4.5)', () => {
  test('purge removes only waiting jobs', async () => {
    const service = createHarness();
    const running = await service.submit('sleep', '{"seconds":10}');
    service.pass(COLD_START_MS);
    const waiting = [await service.submit('sleep', '{"seconds":1}'), await service.submit('sleep', '{"seconds":1}')];
    expect((await service.call('POST /sleep/purge-queue', '{}')).value).toEqual({ removed: 2, status: 'completed' });
    expect((await service.call('POST /sleep/purge-queue')).value).toEqual({ removed: 0, status: 'completed' });
    for (const id of waiting) expect(await service.status('sleep', id)).toMatchObject({ status: 'CANCELLED' });
    service.pass(MINUTE);
    expect(await service.status('sleep', running)).toMatchObject({ status: 'COMPLETED' });
  });

  test('health counts jobs and workers, and remembers what has expired', async () => {
    const service = createHarness();
    const health = async (): Promise<unknown> => (await service.call('GET /fail/health')).value;
    expect(await health()).toMatchObject({
      jobs: { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 },
      workers: { idle: 0, running: 0, initializing: 0 },
    });
    const id = await service.submit('fail', '{"times":1}');
    expect(await health()).toMatchObject({ jobs: { inQueue: 1 }, workers: { initializing: 1 } });
    service.pass(COLD_START_MS);
    expect(await health()).toMatchObject({ jobs: { inQueue: 0, inProgress: 1 }, workers: { idle: 0, running: 1 } });
    service.pass(10);
    expect(await health()).toMatchObject({ jobs: { failed: 1, inProgress: 0 }, workers: { idle: 1, running: 0 } });
    await service.call(`POST /fail/retry/${id}`);
    service.pass(100);
    expect(await health()).toMatchObject({ jobs: { failed: 0, completed: 1, retried: 1 } });
    service.pass(60 * MINUTE);
    expect(await health()).toMatchObject({ jobs: { completed: 1, retried: 1 }, workers: { idle: 0, running: 0 } });
  });
});

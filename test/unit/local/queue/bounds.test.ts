import { expect, test } from 'vitest';
import { endpoints, newEndpoint } from '../../../../src/local/model/endpoints.ts';
import { recordOutcome, removeQueue } from '../../../../src/local/queue/engine.ts';
import { queueOf } from '../../../../src/local/queue/records.ts';
import { COLD_START_MS } from '../../../../src/local/queue/workers.ts';
import { createHarness } from '../../../support/local/queue-fixture.ts';

test('a job that takes exactly its execution timeout completes', async () => {
  const service = createHarness();
  const id = await service.submit('sleep', '{"seconds":5}', ',"policy":{"executionTimeout":5000}');
  service.pass(COLD_START_MS + 5000);
  expect(await service.status('sleep', id)).toMatchObject({ status: 'COMPLETED', executionTime: 5000 });
});

test('a timeout that is increased while a job runs applies to that job', async () => {
  const service = createHarness();
  Object.assign(endpoints.get(service.state, 'sleep') ?? {}, { timeoutMs: 7000 });
  const id = await service.submit('sleep', '{"seconds":9}');
  service.pass(COLD_START_MS + 5000);
  Object.assign(endpoints.get(service.state, 'sleep') ?? {}, { timeoutMs: 20_000 });
  service.pass(2000);
  expect(await service.status('sleep', id)).toMatchObject({ status: 'IN_PROGRESS' });
  service.pass(2000);
  expect(await service.status('sleep', id)).toMatchObject({ status: 'COMPLETED', executionTime: 9000 });
});

test('a job whose time to live was extended is still there at its first end', async () => {
  const service = createHarness();
  const id = await service.submit('sleep', '{"seconds":100}', ',"policy":{"ttl":10000}');
  service.pass(5000);
  await service.call(`GET /sleep/status/${id}?ttl=60000`);
  service.pass(5000);
  expect(await service.status('sleep', id)).toMatchObject({ status: 'IN_PROGRESS' });
  service.pass(55_000);
  expect((await service.call(`GET /sleep/status/${id}`)).status).toBe(404);
});

test('the outcome of an earlier attempt is ignored', async () => {
  const service = createHarness();
  const id = await service.submit('sleep', '{"seconds":100}');
  service.pass(COLD_START_MS + 1);
  for (const [attempt, status] of [
    [0, 'IN_PROGRESS'],
    [1, 'COMPLETED'],
  ] as const) {
    recordOutcome(service.state, id, attempt, { kind: 'output', text: '{}' }, service.clock.now());
    expect(await service.status('sleep', id)).toMatchObject({ status });
  }
});

test('removing the queue of an endpoint leaves the jobs of others alone', async () => {
  const service = createHarness();
  const [kept, removed] = [
    await service.submit('sleep', '{"seconds":100}'),
    await service.submit('demo', '{"seconds":100}'),
  ];
  removeQueue(service.state, 'demo', service.clock.now());
  expect(await service.status('sleep', kept)).toMatchObject({ status: 'IN_QUEUE' });
  expect(await service.status('demo', removed)).toMatchObject({ status: 'CANCELLED' });
});

test('of more workers than the minimum, only the surplus ones are stopped when all are idle', async () => {
  const workers = { min: 2, max: 3, idleTimeout: 5 };
  const service = createHarness({ endpoints: [{ ...newEndpoint('mine', 'sleep', 0), workers }] });
  for (let job = 0; job < 6; job++) await service.submit('mine', '{"seconds":20}');
  service.pass(10_000);
  expect(Object.keys(queueOf(service.state, 'mine').workers)).toHaveLength(3);
  service.pass(3_600_000);
  const { ended, workers: left } = queueOf(service.state, 'mine');
  expect([ended.length, Object.keys(left).length]).toEqual([1, 2]);
});

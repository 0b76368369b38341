import { expect, test } from 'vitest';
import { endpoints } from '../../../../src/local/model/endpoints.ts';
import { recordOutcome } from '../../../../src/local/queue/engine.ts';
import { COLD_START_MS } from '../../../../src/local/queue/workers.ts';
import { createHarness } from '../../../support/local/queue-fixture.ts';

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

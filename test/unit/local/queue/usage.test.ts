import { expect, test } from 'vitest';
import { endpoints } from '../../../../src/local/model/endpoints.ts';
import { removeQueue, usageOf } from '../../../../src/local/queue/index.ts';
import { COLD_START_MS } from '../../../../src/local/queue/workers.ts';
import { createHarness, type Harness } from '../../../support/local/queue-fixture.ts';

const total = (service: Harness): number =>
  usageOf(service.state, service.clock.now()).reduce((sum, { from, to }) => sum + to - from, 0);

test('usage counts a worker from its start to its end, cold start and idle time included, as it goes', async () => {
  const service = createHarness();
  await service.submit('demo', '{}');
  service.pass(300);
  expect(total(service)).toBe(300);
  service.pass(60_000);
  const from = Date.UTC(2026, 0, 1);
  expect(usageOf(service.state, service.clock.now())).toEqual([
    {
      endpointId: 'demo',
      cpu: { id: 'cpu-general', vcpuCount: 2 },
      dataCenterId: 'EU-NORTH-1',
      disk: 20,
      from,
      to: from + COLD_START_MS + 1000 + 5000,
    },
  ]);
});

test('usage outlives its endpoint', async () => {
  const service = createHarness();
  await service.submit('sleep', '{"seconds":100}');
  service.pass(50_000);
  removeQueue(service.state, 'sleep', service.clock.now());
  endpoints.remove(service.state, 'sleep');
  service.pass(3_600_000);
  expect(total(service)).toBe(50_000);
});

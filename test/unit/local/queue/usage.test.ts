import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endpoints, newEndpoint } from '../../../../src/local/model/endpoints.ts';
import { advanceQueue, removeQueue, usageOf } from '../../../../src/local/queue/index.ts';
import { workersIn } from '../../../../src/local/queue/state/endpoint-queue.ts';
import { COLD_START_MS } from '../../../../src/local/queue/jobs/workers.ts';
import { queuesOf, type Usage } from '../../../../src/local/queue/state/records.ts';
import { createHarness, type Harness } from '../../../support/local/queue-fixture.ts';

const HOUR = 3_600_000;

const total = (service: Harness): number =>
  usageOf(service.state, service.clock.now()).reduce((sum, { workerMs }) => sum + workerMs, 0);

describe('worker usage', () => {
  test('counts from a start to an end, cold start and idle time included, as it goes', async () => {
    const service = createHarness();
    await service.submit('demo', '{}');
    service.pass(300);
    expect(total(service)).toBe(300);
    service.pass(60_000);
    expect(total(service)).toBe(COLD_START_MS + 1000 + 5000);
    expect(usageOf(service.state, service.clock.now())).toEqual([
      {
        endpointId: 'demo',
        cpu: { id: 'cpu-general', vcpuCount: 2 },
        dataCenterId: 'EU-NORTH-1',
        disk: 20,
        from: Date.UTC(2026, 0, 1),
        to: Date.UTC(2026, 0, 1, 1),
        workerMs: COLD_START_MS + 1000 + 5000,
      },
    ]);
  });

  test('one record an hour, however many workers; one for whole hours of one', async () => {
    const service = createHarness();
    for (let job = 0; job < 5; job++) {
      await service.submit('echo', '{}');
      service.pass(60_000);
    }
    expect(usageOf(service.state, service.clock.now())).toHaveLength(1);
    expect(total(service)).toBe(5 * (COLD_START_MS + 10 + 5000));
    Object.assign(endpoints.get(service.state, 'sleep') ?? {}, { timeoutMs: 100 * HOUR });
    await service.submit('sleep', `{"seconds":${String(20 * 3600)}}`);
    service.pass(21 * HOUR);
    const records = usageOf(service.state, service.clock.now()).filter(({ endpointId }) => endpointId === 'sleep');
    expect(records.map(({ from, to, workerMs }) => [(to - from) / HOUR, workerMs])).toEqual([
      [1, 55 * 60_000],
      [19, 19 * HOUR],
      [1, 5 * 60_000 + COLD_START_MS + 5000],
    ]);
  });

  test('outlives its endpoint, and is forgotten after two years', async () => {
    const service = createHarness();
    await service.submit('sleep', '{"seconds":100}');
    service.pass(50_000);
    removeQueue(service.state, 'sleep', service.clock.now());
    endpoints.remove(service.state, 'sleep');
    service.pass(HOUR);
    expect(total(service)).toBe(50_000);
    await service.submit('echo', '{}');
    service.pass(800 * 24 * HOUR);
    await service.submit('echo', '{}');
    service.pass(HOUR);
    expect(usageOf(service.state, service.clock.now()).filter(({ endpointId }) => endpointId === 'echo')).toHaveLength(
      1,
    );
  });

  test('is the lifetime of the workers, however often it is read', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 * HOUR }), { minLength: 1, maxLength: 20 }), (steps) => {
        const workers = { min: 2, max: 2, idleTimeout: 5 };
        const service = createHarness({ endpoints: [{ ...newEndpoint('mine', 'echo', 0), workers }] });
        const { state, clock } = service;
        advanceQueue(state, clock.now());
        let now = clock.now();
        for (const [index, step] of steps.entries()) {
          now += step;
          // A release replaces the workers: some spans end here.
          Object.assign(endpoints.get(state, 'mine') ?? {}, { version: index });
          advanceQueue(state, now);
          const queue = queuesOf(state).byEndpoint.mine;
          expect(queue === undefined ? 0 : workersIn(queue).length).toBe(2);
          const used = usageOf(state, now).reduce((sum, { workerMs }) => sum + workerMs, 0);
          expect(used).toBe(2 * (now - clock.now()));
        }
        for (const { from, to, workerMs } of Object.values<Usage[]>(queuesOf(state).usage).flat()) {
          expect([from % HOUR, to % HOUR]).toEqual([0, 0]);
          expect(workerMs).toBeLessThanOrEqual(2 * (to - from));
        }
      }),
    );
  });
});

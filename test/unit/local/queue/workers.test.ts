import { describe, expect, test } from 'vitest';
import { type EndpointRecord, endpoints, newEndpoint } from '../../../../src/local/model/endpoints.ts';
import { endpointChanged, removeQueue } from '../../../../src/local/queue/engine.ts';
import { queueOf, queuesOf, workersIn } from '../../../../src/local/queue/records.ts';
import { COLD_START_MS } from '../../../../src/local/queue/workers.ts';
import { createHarness, type Harness } from '../../../support/local/queue-fixture.ts';

const endpoint = (changes: Partial<EndpointRecord>): EndpointRecord => ({
  ...newEndpoint('mine', 'sleep', 0),
  ...changes,
});

const statuses = (service: Harness): string[] => workersIn(queueOf(service.state, 'mine')).map(({ status }) => status);

const submitAll = async (service: Harness, count: number, seconds = 100): Promise<string[]> => {
  const ids: string[] = [];
  for (let job = 0; job < count; job++) ids.push(await service.submit('mine', `{"seconds":${String(seconds)}}`));
  return ids;
};

describe('workers', () => {
  test('a worker starts cold for a job and is removed after the idle timeout', async () => {
    const service = createHarness({ endpoints: [endpoint({})] });
    expect(statuses(service)).toEqual([]);
    await submitAll(service, 1, 3);
    expect(statuses(service)).toEqual(['INITIALIZING']);
    service.pass(COLD_START_MS);
    expect(statuses(service)).toEqual(['RUNNING']);
    service.pass(3000);
    expect(statuses(service)).toEqual(['IDLE']);
    service.pass(4999);
    expect(statuses(service)).toEqual(['IDLE']);
    service.pass(1);
    expect(statuses(service)).toEqual([]);
  });

  test('the minimum is there before any job, and stays', () => {
    const service = createHarness({ endpoints: [endpoint({ workers: { min: 2, max: 3, idleTimeout: 5 } })] });
    service.pass(0);
    expect(statuses(service)).toEqual(['INITIALIZING', 'INITIALIZING']);
    service.pass(3_600_000);
    expect(statuses(service)).toEqual(['IDLE', 'IDLE']);
  });

  test('QUEUE_DELAY: one worker at once, the next only for jobs that wait longer than the delay', async () => {
    const service = createHarness({ endpoints: [endpoint({})] });
    await submitAll(service, 10);
    service.pass(3999);
    expect(statuses(service)).toEqual(['RUNNING']);
    service.pass(1);
    expect(statuses(service)).toEqual(['RUNNING', 'INITIALIZING', 'INITIALIZING']);
  });

  test.each([
    [1, 1, 1],
    [4, 2, 2],
    [5, 2, 3],
    [100, 2, 5],
  ])('REQUEST_COUNT: %i jobs at %i a worker start %i', async (jobs, requestCount, workers) => {
    const scaling = { type: 'REQUEST_COUNT', requestCount } as const;
    const service = createHarness({
      endpoints: [endpoint({ scaling, workers: { min: 0, max: 5, idleTimeout: 5 } })],
    });
    await submitAll(service, jobs);
    expect(statuses(service)).toHaveLength(workers);
  });

  test('jobs are taken in order, those of low priority last', async () => {
    const service = createHarness({ endpoints: [endpoint({ workers: { min: 0, max: 1, idleTimeout: 5 } })] });
    const low = await service.submit('mine', '{"seconds":1}', ',"policy":{"lowPriority":true}');
    const [first = '', second = ''] = await submitAll(service, 2, 1);
    service.pass(60_000);
    const started = [first, second, low].map((id) => queuesOf(service.state).jobs[id]?.startedAt ?? 0);
    expect(started).toEqual([...started].sort());
    expect(new Set(started).size).toBe(3);
  });

  test('a changed container replaces idle workers at once and busy ones after their job', async () => {
    const service = createHarness({ endpoints: [endpoint({ workers: { min: 1, max: 1, idleTimeout: 5 } })] });
    const [id = ''] = await submitAll(service, 1, 10);
    service.pass(COLD_START_MS);
    Object.assign(endpoints.get(service.state, 'mine') ?? {}, { version: 2 });
    endpointChanged(service.state, 'mine');
    service.pass(1);
    expect(workersIn(queueOf(service.state, 'mine'))).toMatchObject([{ status: 'RUNNING', version: 1 }]);
    service.pass(10_000);
    expect(await service.status('mine', id)).toMatchObject({ status: 'COMPLETED' });
    expect(workersIn(queueOf(service.state, 'mine'))).toMatchObject([{ status: 'INITIALIZING', version: 2 }]);
  });

  test.each(['removeQueue', 'removed by another'])('deleting an endpoint cancels its jobs (%s)', async (how) => {
    const service = createHarness({ endpoints: [endpoint({ workers: { min: 0, max: 1, idleTimeout: 5 } })] });
    const ids = await submitAll(service, 2);
    service.pass(COLD_START_MS);
    if (how === 'removeQueue') removeQueue(service.state, 'mine', service.clock.now());
    endpoints.remove(service.state, 'mine');
    endpointChanged(service.state, 'mine');
    service.pass(1);
    expect(ids.map((id) => queuesOf(service.state).jobs[id]?.status)).toEqual(['CANCELLED', 'CANCELLED']);
    expect(queuesOf(service.state).byEndpoint.mine).toBeUndefined();
    expect((await service.call(`GET /mine/status/${ids[0] ?? ''}`)).status).toBe(404);
    service.pass(31 * 60_000);
    expect(queuesOf(service.state).jobs).toEqual({});
  });
});

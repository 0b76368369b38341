import { describe, expect, test } from 'vitest';
import { type EndpointRecord, newEndpoint } from '../../../../src/local/model/endpoints.ts';
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
});

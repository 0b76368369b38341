import { describe, expect, test } from 'vitest';
import { COLD_START_MS } from '../../../../src/local/queue/workers.ts';
import { createHarness } from '../../../support/local/queue-fixture.ts';

describe('status-sync', () => {
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
});

test.each(['POST /sleep/runsync', 'GET /sleep/status-sync/'])(
  '%s answers 404 when the clock jumps past the end of the job',
  async (request) => {
    const service = createHarness();
    const id = request.startsWith('GET') ? await service.submit('sleep', '{"seconds":100}') : '';
    const waiting = service.call(`${request}${id}`, '{"input":{"seconds":100}}');
    // Once it waits, before its first sleep is over.
    while (service.clock.slept.length === 0) await Promise.resolve();
    service.pass(24 * 60 * 60_000);
    expect(await waiting).toMatchObject({ status: 404 });
  },
);

import { describe, expect, test } from 'vitest';
import { PAYLOAD_BYTES } from '../../../../src/local/queue/documents.ts';
import { COLD_START_MS } from '../../../../src/local/queue/workers.ts';
import { endpoints } from '../../../../src/local/model/endpoints.ts';
import { queuesOf } from '../../../../src/local/queue/records.ts';
import { createHarness, idIn } from '../../../support/local/queue-fixture.ts';

const MINUTE = 60_000;
const READY = COLD_START_MS + 10;

describe('retention after completion (specification 8.2)', () => {
  test.each([
    ['run', '', 30 * MINUTE],
    ['runsync', '', MINUTE],
    ['runsync', '?wait=1000', MINUTE],
    ['runsync', '?wait=90000', MINUTE],
    ['runsync', '?wait=180000', 3 * MINUTE],
    ['runsync', '?wait=300000', 5 * MINUTE],
  ])('%s%s: kept for %i ms', async (operation, query, kept) => {
    const service = createHarness();
    const id = idIn(await service.call(`POST /echo/${operation}${query}`, '{"input":{}}'));
    const submittedAt = queuesOf(service.state).jobs[id]?.submittedAt ?? 0;
    service.pass(submittedAt + READY + kept - 1 - service.clock.now());
    expect(await service.status('echo', id)).toMatchObject({ status: 'COMPLETED' });
    service.pass(1);
    expect((await service.call(`GET /echo/status/${id}`)).status).toBe(404);
  });
});

describe('time to live', () => {
  test.each([
    ['IN_QUEUE', 'sleep', '{"seconds":100}'],
    ['IN_PROGRESS', 'sleep', '{"seconds":100}'],
    ['COMPLETED', 'echo', '{}'],
  ])('policy.ttl counts from submission and deletes a job that is %s', async (status, endpointId, input) => {
    const service = createHarness();
    if (status === 'IN_QUEUE') Object.assign(endpoints.get(service.state, 'sleep')?.workers ?? {}, { max: 0 });
    const id = await service.submit(endpointId, input, ',"policy":{"ttl":10000}');
    service.pass(9999);
    expect(await service.status(endpointId, id)).toMatchObject({ status });
    service.pass(1);
    expect((await service.call(`GET /${endpointId}/status/${id}`)).status).toBe(404);
    const health = await service.call(`GET /${endpointId}/health`);
    expect(health.value).toMatchObject({
      jobs: { inQueue: 0, inProgress: 0, expired: status === 'COMPLETED' ? 0 : 1 },
    });
  });

  test('status?ttl=6000 gives the job six seconds from then', async () => {
    const service = createHarness();
    const id = await service.submit('echo', '{}');
    service.pass(20_000);
    expect((await service.call(`GET /echo/status/${id}?ttl=6000`)).value).toMatchObject({ status: 'COMPLETED' });
    service.pass(5999);
    expect(await service.status('echo', id)).toMatchObject({ status: 'COMPLETED' });
    service.pass(1);
    expect((await service.call(`GET /echo/status/${id}`)).status).toBe(404);
  });
});

describe('execution timeout', () => {
  test("the endpoint's holds where the policy has none", async () => {
    const service = createHarness();
    Object.assign(endpoints.get(service.state, 'sleep') ?? {}, { timeoutMs: 7000 });
    const id = await service.submit('sleep', '{"seconds":100}');
    service.pass(COLD_START_MS + 6999);
    expect(await service.status('sleep', id)).toMatchObject({ status: 'IN_PROGRESS' });
    service.pass(1);
    expect(await service.status('sleep', id)).toMatchObject({ status: 'TIMED_OUT', executionTime: 7000 });
  });

  test('the time in the queue does not count', async () => {
    const service = createHarness();
    Object.assign(endpoints.get(service.state, 'sleep')?.workers ?? {}, { max: 1 });
    await service.submit('sleep', '{"seconds":60}');
    const id = await service.submit('sleep', '{"seconds":4}', ',"policy":{"executionTimeout":5000}');
    service.pass(COLD_START_MS + 60_000 + 4000);
    expect(await service.status('sleep', id)).toMatchObject({ status: 'COMPLETED', executionTime: 4000 });
  });
});

describe('bodies', () => {
  const padded = (bytes: number): string => `{"input":{"x":"${'y'.repeat(bytes - '{"input":{"x":""}}'.length)}"}}`;

  test.each(['run', 'runsync'] as const)('%s: a payload of exactly the limit, and one byte more', async (operation) => {
    const service = createHarness();
    const limit = PAYLOAD_BYTES[operation];
    expect((await service.call(`POST /echo/${operation}`, padded(limit))).status).toBe(200);
    const refused = await service.call(`POST /echo/${operation}`, padded(limit + 1));
    expect(refused.status).toBe(413);
    expect(refused.text).toContain(operation === 'run' ? '10 MB' : '20 MB');
  });

  test('a wrong body is refused with 400 and the member', async () => {
    const service = createHarness();
    for (const [body, said] of [
      ['', /JSON/],
      ['nonsense', /not JSON/],
      ['[]', /object/],
      ['{}', /input is required/],
      ['{"input":1}', /input/],
      ['{"input":"x"}', /input/],
      ['{"input":null}', /input/],
      ['{"input":[]}', /input/],
      ['{"input":{},"webhook":"nonsense"}', /webhook/],
      ['{"input":{},"webhook":"ftp://x/"}', /webhook/],
      ['{"input":{},"policy":1}', /policy/],
      ['{"input":{},"policy":{"executionTimeout":4999}}', /policy\.executionTimeout.*5000 to 604800000/],
      ['{"input":{},"policy":{"executionTimeout":604800001}}', /policy\.executionTimeout/],
      ['{"input":{},"policy":{"executionTimeout":"9000"}}', /policy\.executionTimeout/],
      ['{"input":{},"policy":{"ttl":9999}}', /policy\.ttl.*10000 to 604800000/],
      ['{"input":{},"policy":{"ttl":10000.5}}', /policy\.ttl/],
      ['{"input":{},"policy":{"lowPriority":1}}', /policy\.lowPriority/],
      ['{"input":{},"s3Config":{"accessId":"x"}}', /s3Config.*accessSecret/],
    ] as const)
      for (const operation of ['run', 'runsync']) {
        const answer = await service.call(`POST /echo/${operation}`, body);
        expect([body, answer.status, answer.text]).toEqual([body, 400, expect.stringMatching(said)]);
      }
  });

  test('unknown members are ignored, and S3 secrets are not stored', async () => {
    const service = createHarness();
    const s3 = '{"accessId":"id","accessSecret":"hush-hush","bucketName":"b","endpointUrl":"https://s3.test"}';
    await service.submit('echo', '{}', `,"other":1,"s3Config":${s3}`);
    expect(JSON.stringify(service.state)).not.toContain('hush-hush');
  });
});

describe('known limits (contract rules, Queue API)', () => {
  test('purge-queue: 2 in 10 s, per endpoint and user, with Retry-After', async () => {
    const service = createHarness({ queueLimits: true });
    await service.call('POST /echo/purge-queue');
    service.pass(4000);
    await service.call('POST /echo/purge-queue');
    const refused = await service.call('POST /echo/purge-queue');
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '6' } });
    expect((await service.call('POST /demo/purge-queue')).status).toBe(200);
    expect((await service.call('POST /echo/purge-queue', '', 'other')).status).toBe(200);
    service.pass(6000);
    expect((await service.call('POST /echo/purge-queue')).status).toBe(200);
  });

  test.each([
    ['POST /echo/run', '{"input":{}}', 1000],
    ['GET /echo/status/none', '', 2000],
    ['GET /echo/stream/none', '', 2000],
    ['POST /echo/cancel/none', '', 100],
  ])('%s: in 10 s', async (request, body, most) => {
    const service = createHarness({ queueLimits: true });
    let count = 0;
    while ((await service.call(request, body)).status !== 429) count += 1;
    expect(count).toBe(most);
  });

  test('workers times requests per worker, where that is higher', async () => {
    const service = createHarness({ queueLimits: true });
    await service.submit('echo', '{}');
    const scaling = { type: 'REQUEST_COUNT', requestCount: 3 };
    Object.assign(endpoints.get(service.state, 'echo') ?? {}, { scaling });
    const statuses: number[] = [];
    for (let time = 0; time < 4; time++) statuses.push((await service.call('POST /echo/purge-queue')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });
});

import { describe, expect, test } from 'vitest';
import { DroppedConnection, takeStartFault } from '../../../../src/local/http/faults.ts';
import { attached, statusOf, submit, type AttachedService } from '../../../support/local/attached-service.ts';
import { health } from '../../../support/local/managed-service.ts';

const inject = async ({ send }: AttachedService, kind: string, settings = {}): Promise<void> => {
  expect((await send('POST', '/local/fault', { kind, count: 1, ...settings })).status).toBe(201);
};

/** The kinds of the faults that are left. */
const left = async ({ send }: AttachedService): Promise<readonly string[]> =>
  ((await send('GET', '/local/fault')).body['faults'] as { kind: string }[]).map(({ kind }) => kind);

describe.each([
  ['worker-crash', 'worker crashed: it was killed (an injected fault)'],
  ['worker-oom', 'it ran out of memory and was killed'],
])('%s', (kind, reason) => {
  test('kills the worker that has taken a job: nothing that it sends arrives, and its jobs wait again', async () => {
    const local = await attached();
    await inject(local, kind);
    const [id, other] = [await submit(local, {}), await submit(local, {})];
    expect(await local.worker.takeBatch(2)).toHaveLength(2);
    expect(await left(local)).toEqual([]);
    for (const send of [
      () => local.worker.done(id, 1),
      () => local.worker.post(`job-stream/${id}`, { output: 1 }),
      () => local.worker.get('ping', `job_id=${id}`),
      () => local.worker.take(true),
      () => local.worker.get('job-stop'),
    ])
      await expect(send()).rejects.toThrow(DroppedConnection);
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_PROGRESS' });
    local.clock.advance(500);
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_QUEUE' });
    expect(await health(local)).toMatchObject({ jobs: { inQueue: 2, retried: 2 }, workers: { idle: 0, running: 0 } });
    local.clock.advance(1);
    expect((await local.send('GET', `/v2/serverless/mine/workers/${local.worker.id}/logs`)).text).toContain(reason);
    const next = await local.attach('next');
    expect((await next.takeBatch(2)).map((job) => job.id)).toEqual([id, other]);
    expect(await next.done(id, 1)).toMatchObject({ status: 200 });
  });
});

describe('worker-hang', () => {
  test('lets a job run until its execution timeout, whatever its worker reports', async () => {
    const local = await attached();
    await inject(local, 'worker-hang');
    const id = await submit(local, {}, { policy: { executionTimeout: 20_000 } });
    const waiting = await submit(local, {});
    await local.worker.take();
    expect(await local.worker.done(id, 1)).toMatchObject({ status: 200 });
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_PROGRESS' });
    local.clock.advance(15_000);
    await local.worker.get('ping', '');
    local.clock.advance(5000);
    expect(await statusOf(local, id)).toMatchObject({ status: 'TIMED_OUT' });
    expect(await health(local)).toMatchObject({ workers: { running: 1 } });
    // Nobody here can stop the process of an attached worker: it takes part again.
    local.clock.advance(5000);
    expect(await local.worker.take()).toMatchObject({ id: waiting });
  });
});

test('worker-silent: the signs of life are lost, and the jobs wait again; the clock may be advanced', async () => {
  const local = await attached();
  await inject(local, 'worker-silent');
  const id = await submit(local, {});
  await local.worker.take();
  await local.worker.get('ping', `job_id=${id}`);
  await local.send('POST', '/local/clock', { advanceMs: 29_999 });
  expect(await statusOf(local, id)).toMatchObject({ status: 'IN_PROGRESS' });
  await local.worker.get('ping', `job_id=${id}`);
  await local.send('POST', '/local/clock', { advanceMs: 1 });
  expect(await statusOf(local, id)).toMatchObject({ status: 'IN_QUEUE' });
  expect(await health(local)).toMatchObject({ jobs: { retried: 1 } });
});

describe('a lost answer to a result', () => {
  test.each([
    ['done-drop', 'IN_PROGRESS', false],
    ['done-accept-drop', 'COMPLETED', true],
  ])('%s: the job is then %s, and the second try completes it', async (kind, status, accepted) => {
    const local = await attached();
    await inject(local, kind);
    const id = await submit(local, {});
    await local.worker.take();
    await local.worker.post(`job-done/${id}`, { status: 'IN_PROGRESS', output: 1 });
    await local.worker.done('unknown', 1);
    expect(await left(local)).toEqual([kind]);
    await expect(local.worker.done(id, 'first')).rejects.toThrow(DroppedConnection);
    expect(await statusOf(local, id)).toMatchObject({ status });
    expect(await local.worker.done(id, 'second')).toMatchObject({ status: 200 });
    const output = accepted ? 'first' : 'second';
    expect(await statusOf(local, id)).toMatchObject({ status: 'COMPLETED', output });
    expect(await health(local)).toMatchObject({ jobs: { completed: 1 } });
  });
});

describe('the start of a process', () => {
  const where = { endpointId: 'mine', workerId: 'w1' };

  test.each([
    ['worker-slow-start', { latencyMs: 7000 }, 7000],
    ['worker-slow-start', {}, 1000],
    ['worker-failed-start', {}, 'failed'],
  ])('%s %j', async (kind, settings, expected) => {
    const local = await attached();
    await inject(local, kind, settings);
    expect(takeStartFault(local.state, where, () => 0)).toEqual(expected);
    expect(takeStartFault(local.state, where, () => 0)).toBe(0);
  });
});

import { describe, expect, test } from 'vitest';
import { attached, atWork, statusOf, submit } from '../../../support/local/attached-service.ts';

describe('a worker that takes jobs', () => {
  test('takes a waiting job, which is then IN_PROGRESS, and completes it', async () => {
    const local = await attached();
    const id = await submit(local, { n: 1 });
    local.clock.advance(250);
    expect(await local.worker.take()).toEqual({ id, input: { n: 1 } });
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_PROGRESS', delayTime: 250 });
    local.clock.advance(100);
    expect(await local.worker.done(id, { twice: 2 })).toMatchObject({ status: 200 });
    expect(await statusOf(local, id)).toMatchObject({
      status: 'COMPLETED',
      delayTime: 250,
      executionTime: 100,
      output: { twice: 2 },
    });
  });

  test('gets the input byte for byte', async () => {
    const local = await attached();
    const input = '{"a": 9007199254740993,  "b":1e400, "c":"\\u00e9"}';
    await local.send('POST', '/v2/mine/run', `{"input":${input}}`);
    const { text, headers } = await local.worker.get('job-take', 'job_in_progress=0');
    expect(text).toContain(`"input":${input}`);
    expect(headers.get('content-type')).toBe('application/json');
  });

  test('gets up to batch_size jobs as a list, and only those that wait', async () => {
    const local = await attached();
    const ids = [await submit(local, { n: 1 }), await submit(local, { n: 2 }), await submit(local, { n: 3 })];
    expect((await local.worker.takeBatch(2)).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect((await local.worker.takeBatch(2, true)).map(({ id }) => id)).toEqual(ids.slice(2));
    expect((await local.send('GET', '/v2/mine/health')).body).toMatchObject({
      jobs: { inProgress: 3, inQueue: 0 },
      workers: { idle: 0, running: 1, initializing: 0 },
    });
    for (const id of ids) await local.worker.done(id, id);
    expect((await local.send('GET', '/v2/mine/health')).body).toMatchObject({
      jobs: { inProgress: 0, completed: 3 },
      workers: { idle: 1, running: 0 },
    });
  });

  test('that has disconnected before its request is answered leaves the job to others', async () => {
    const local = await attached();
    const id = await submit(local, {});
    const controller = new AbortController();
    const lost = local.worker.get('job-take', 'job_in_progress=0', controller.signal);
    controller.abort();
    await lost.catch(() => undefined);
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_QUEUE' });
    const other = await local.attach('other');
    expect(await other.take()).toMatchObject({ id });
  });

  test('is answered as soon as a job arrives, and nobody else is', async () => {
    const local = await attached();
    const other = await local.attach('other');
    const [first, second] = [local.worker.take(), other.take()];
    const id = await submit(local, {});
    expect(await first).toEqual({ id, input: {} });
    const later = await submit(local, {});
    expect(await second).toEqual({ id: later, input: {} });
    expect(local.clock.monotonic()).toBe(0);
  });

  test('is answered 204 without a body when the time of a held request is over', async () => {
    const local = await attached();
    expect(await local.worker.get('job-take', 'job_in_progress=0')).toMatchObject({ status: 204, text: '' });
    expect(local.clock.monotonic()).toBe(20_000);
  });
});

describe('jobs to stop', () => {
  test('a cancel answers the held request of the worker that runs the job, and no other', async () => {
    const local = await attached();
    const other = await local.attach('other');
    const id = await submit(local, {});
    await local.worker.take();
    const [told, untold] = [local.worker.get('job-stop'), other.get('job-stop')];
    await local.settled();
    await local.send('POST', `/v2/mine/cancel/${id}`);
    expect(await told).toMatchObject({ status: 200, body: { jobsToStop: [id] } });
    expect(await untold).toMatchObject({ status: 204 });
  });

  test('is told once, and before the worker asks as well', async () => {
    const { local, id } = await atWork();
    await local.send('POST', `/v2/mine/cancel/${id}`);
    expect(await local.worker.get('job-stop')).toMatchObject({ body: { jobsToStop: [id] } });
    expect(await local.worker.get('job-stop')).toMatchObject({ status: 204 });
  });

  test.each([
    ['execution timeout', { executionTimeout: 5000 }, 5000],
    ['time to live', { ttl: 10_000 }, 10_000],
  ])('the %s of a job asks for it too', async (_, policy, after) => {
    const local = await attached();
    const id = await submit(local, {}, { policy });
    await local.worker.take();
    local.clock.advance(after);
    expect(await local.worker.get('job-stop')).toMatchObject({ body: { jobsToStop: [id] } });
  });
});

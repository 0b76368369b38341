import { describe, expect, test } from 'vitest';
import { recordPrinted } from '../../../../src/local/queue/engine.ts';
import { attached, statusOf, submit } from '../../../support/local/attached-service.ts';
import { EXIT, exit, health, KILLED, managed, pass, workerIds } from '../../../support/local/managed-service.ts';
import { attachWorker } from '../../../support/local/protocol-worker.ts';

describe('a silent worker', () => {
  test('loses its jobs after three heartbeats, and retried counts them', async () => {
    const local = await attached();
    const ids = [await submit(local, { n: 1 }), await submit(local, { n: 2 })];
    await local.worker.takeBatch(2);
    await pass(local, 29_999);
    expect(await health(local)).toMatchObject({ jobs: { inProgress: 2, retried: 0 }, workers: { running: 1 } });
    await pass(local, 1);
    expect(await health(local)).toMatchObject({
      jobs: { inProgress: 0, inQueue: 2, retried: 2 },
      workers: { running: 0, idle: 0 },
    });
    expect(await local.worker.done(ids[0] ?? '', 'late')).toMatchObject({ status: 200 });
    expect(await statusOf(local, ids[0] ?? '')).toMatchObject({ status: 'IN_QUEUE' });
    const other = await local.attach('other');
    expect((await other.takeBatch(2)).map(({ id }) => id)).toEqual(ids);
  });

  test.each(['ping', 'job-stop', 'job-take'])('is not one that sends %s', async (operation) => {
    const local = await attached();
    const id = await submit(local, {}, { policy: { executionTimeout: 3_600_000 } });
    await local.worker.take();
    for (let round = 0; round < 4; round++) {
      local.clock.advance(9000);
      await local.worker.get(operation, operation === 'ping' ? `job_id=${id}` : 'job_in_progress=1');
    }
    expect(await health(local)).toMatchObject({ jobs: { inProgress: 1, retried: 0 }, workers: { running: 1 } });
  });
});

describe('a worker whose process the service runs', () => {
  test('is started for a job, is ready with its first request, and is stopped when it was idle', async () => {
    const local = await managed();
    const id = await submit(local, {});
    const [workerId = ''] = workerIds(local);
    await pass(local, 20_000);
    expect(await health(local)).toMatchObject({ workers: { initializing: 1 } });
    const worker = await attachWorker(local.service, 'mine', workerId);
    expect(await worker.take()).toMatchObject({ id });
    await worker.done(id, 1);
    const held = worker.get('job-take', 'job_in_progress=0');
    await local.settled();
    expect(await health(local)).toMatchObject({ workers: { idle: 1, initializing: 0 } });
    await pass(local, 5000);
    expect(workerIds(local)).toEqual([]);
    expect(await held).toMatchObject({ status: 400 });
  });

  test('loses its jobs when its process ends, and another one is started', async () => {
    const local = await managed();
    const id = await submit(local, {});
    const [workerId = ''] = workerIds(local);
    const worker = await attachWorker(local.service, 'mine', workerId);
    await worker.take();
    recordPrinted(local.state, workerId, ['Traceback', 'Error: gone'], local.clock.now());
    exit(local, workerId, KILLED);
    exit(local, workerId, EXIT);
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_QUEUE' });
    expect(await health(local)).toMatchObject({ jobs: { retried: 1 } });
    expect(workerIds(local)).not.toContain(workerId);
    expect(workerIds(local)).toHaveLength(1);
    local.clock.advance(1);
    const { text } = await local.send('GET', `/v2/serverless/mine/workers/${workerId}/logs`);
    for (const line of ['Error: gone', `job ${id} finished: LOST`, 'worker crashed: the process was ended by SIGKILL'])
      expect(text).toContain(line);
  });

  test('is stopped when it does not let go of a cancelled job, and its other jobs are queued again', async () => {
    const local = await managed();
    const [cancelled, other] = [await submit(local, {}), await submit(local, {})];
    const worker = await attachWorker(local.service, 'mine', workerIds(local)[0]);
    await worker.takeBatch(2);
    await local.send('POST', `/v2/mine/cancel/${cancelled}`);
    await pass(local, 4999);
    expect(workerIds(local)).toContain(worker.id);
    await pass(local, 1);
    expect(workerIds(local)).not.toContain(worker.id);
    expect(await statusOf(local, cancelled)).toMatchObject({ status: 'CANCELLED' });
    expect(await statusOf(local, other)).toMatchObject({ status: 'IN_QUEUE' });
    expect(await health(local)).toMatchObject({ jobs: { retried: 1, cancelled: 1 } });
  });

  test('that was told is stopped when a heartbeat shows that it still runs the job after the grace', async () => {
    const local = await managed();
    const id = await submit(local, {});
    const worker = await attachWorker(local.service, 'mine', workerIds(local)[0]);
    await worker.take();
    await local.send('POST', `/v2/mine/cancel/${id}`);
    await worker.get('job-stop');
    await pass(local, 4000);
    await worker.get('ping', `job_id=${id}`);
    expect(workerIds(local)).toContain(worker.id);
    await pass(local, 2000);
    expect(workerIds(local)).toContain(worker.id);
    await worker.get('ping', `job_id=${id}`);
    expect(workerIds(local)).not.toContain(worker.id);
  });

  test('the workers of a former process of the service are gone, and their jobs wait again', async () => {
    const local = await managed();
    const id = await submit(local, {});
    const worker = await attachWorker(local.service, 'mine', workerIds(local)[0]);
    await worker.take();
    local.service.start(0);
    await local.settled();
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_QUEUE' });
    expect(workerIds(local)).not.toContain(worker.id);
    expect(workerIds(local)).toHaveLength(1);
    await local.service.stop();
  });
});

describe('100 jobs', () => {
  test('and a worker lost every so often: all end once, and retried equals the losses that hit a job', async () => {
    const local = await managed();
    await local.send('PATCH', '/v2/serverless/mine', { workers: { max: 4 } });
    const ids: string[] = [];
    for (let n = 0; n < 100; n++) ids.push(await submit(local, { n }));
    let losses = 0;
    let results = 0;
    for (let turn = 0; turn < 1000 && results < 100; turn++) {
      await pass(local, 50);
      for (const [place, workerId] of workerIds(local).entries()) {
        const worker = await attachWorker(local.service, 'mine', workerId);
        const jobs = place % 2 === 0 ? await worker.takeBatch(4) : [await worker.take()];
        const taken = jobs.flatMap((job) => job ?? []);
        const isKilled = (turn * 4 + place) % 13 === 0;
        // Some results arrive before the kill.
        for (const job of isKilled ? taken.slice(0, 1) : taken) {
          await worker.done(job.id, job.input['n']);
          results += 1;
        }
        if (!isKilled) continue;
        losses += Math.max(0, taken.length - 1);
        exit(local, workerId, KILLED);
      }
    }
    expect(losses).toBeGreaterThan(3);
    for (const [n, id] of ids.entries())
      expect(await statusOf(local, id)).toMatchObject({ status: 'COMPLETED', output: n });
    expect(await health(local)).toMatchObject({
      jobs: { completed: 100, failed: 0, inProgress: 0, inQueue: 0, retried: losses },
    });
  });
});

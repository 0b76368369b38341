import { describe, expect, test } from 'vitest';
import { recordPrinted } from '../../../../src/local/queue/index.ts';
import { statusOf, submit } from '../../../support/local/attached-service.ts';
import { EXIT, exit, health, KILLED, managed, pass, workerIds } from '../../../support/local/managed-service.ts';
import { attachWorker } from '../../../support/local/protocol-worker.ts';

describe('a worker whose process crashes', () => {
  test('is not started in a hot loop when it ends with every job, and is UNHEALTHY meanwhile', async () => {
    const local = await managed();
    await local.send('PATCH', '/v2/serverless/mine', { workers: { max: 1 } });
    const id = await submit(local, {});
    const pauses: number[] = [];
    for (let round = 0; round < 9; round++) {
      const worker = await attachWorker(local.service, 'mine', workerIds(local)[0]);
      expect(await worker.take()).toMatchObject({ id });
      recordPrinted(local.state, worker.id, ['Error: no more memory'], local.clock.now());
      exit(local, worker.id, KILLED);
      const { body } = await local.send('GET', '/v2/serverless/mine/workers');
      expect(body).toMatchObject({ summary: round === 0 ? { unhealthy: 0 } : { unhealthy: 1, total: 1 } });
      let waited = 0;
      for (; workerIds(local).length === 0 && waited < 100; waited++) await pass(local, 1000);
      pauses.push(waited);
    }
    expect(pauses).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60]);
    const worker = await attachWorker(local.service, 'mine', workerIds(local)[0]);
    await worker.take();
    await worker.done(id, 1);
    const next = await submit(local, {});
    expect(await worker.take()).toMatchObject({ id: next });
    exit(local, worker.id, KILLED);
    expect(workerIds(local)).toHaveLength(1);
  });

  test('gets no job any more, neither by a held request nor by a new one', async () => {
    const local = await managed();
    await local.send('PATCH', '/v2/serverless/mine', { workers: { max: 1 } });
    const id = await submit(local, {});
    const first = await attachWorker(local.service, 'mine', workerIds(local)[0]);
    await first.take();
    exit(local, first.id, KILLED);
    const second = await attachWorker(local.service, 'mine', workerIds(local)[0]);
    expect(await second.take()).toMatchObject({ id });
    const held = second.get('job-take', 'job_in_progress=1');
    await local.settled();
    exit(local, second.id, KILLED);
    expect((await local.send('GET', '/v2/serverless/mine/workers')).body).toMatchObject({ summary: { unhealthy: 1 } });
    expect(await held).toMatchObject({ status: 400 });
    expect(await second.get('job-take', 'job_in_progress=0')).toMatchObject({ status: 400 });
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_QUEUE' });
    expect(await health(local)).toMatchObject({ jobs: { retried: 2 } });
  });

  test('is not started in a hot loop when it asks for a job and ends, while a worker is wanted always', async () => {
    const local = await managed();
    await local.send('PATCH', '/v2/serverless/mine', { workers: { min: 1, max: 1 } });
    await pass(local, 0);
    expect(workerIds(local)).toHaveLength(1);
    const pauses: number[] = [];
    for (let round = 0; round < 5; round++) {
      const worker = await attachWorker(local.service, 'mine', workerIds(local)[0]);
      const asked = worker.get('job-take', 'job_in_progress=0');
      await local.settled();
      exit(local, worker.id, EXIT);
      let waited = 0;
      for (; workerIds(local).length === 0 && waited < 100; waited++) await pass(local, 1000);
      await asked;
      pauses.push(waited);
    }
    expect(pauses).toEqual([0, 1, 2, 4, 8]);
    const worker = await attachWorker(local.service, 'mine', workerIds(local)[0]);
    const id = await submit(local, {});
    await worker.take();
    await worker.done(id, 1);
    exit(local, worker.id, EXIT);
    expect(workerIds(local)).toHaveLength(1);
  });

  test('is started at once after a change of its endpoint, however often it has crashed', async () => {
    const local = await managed();
    await submit(local, {});
    for (let round = 0; round < 5; round++) {
      const [workerId] = workerIds(local);
      if (workerId === undefined) await pass(local, 60_000);
      else exit(local, workerId, EXIT);
    }
    expect(workerIds(local)).toEqual([]);
    await local.send('PATCH', '/v2/serverless/mine', { env: { FIXED: 'yes' } });
    await pass(local, 0);
    expect(workerIds(local)).toHaveLength(1);
    expect((await local.send('GET', '/v2/serverless/mine/workers')).body).toMatchObject({ summary: { total: 1 } });
  });

  test('is not UNHEALTHY any more when no job waits', async () => {
    const local = await managed();
    const id = await submit(local, {});
    exit(local, workerIds(local)[0] ?? '', EXIT);
    const workers = async (): Promise<unknown> => (await local.send('GET', '/v2/serverless/mine/workers')).body;
    expect(await workers()).toMatchObject({ summary: { unhealthy: 1 } });
    await local.send('POST', `/v2/mine/cancel/${id}`);
    expect(await workers()).toMatchObject({ summary: { total: 0 } });
  });

  test('is not started in a hot loop when it ends at its start', async () => {
    const local = await managed();
    await local.send('PATCH', '/v2/serverless/mine', { workers: { max: 1 } });
    const id = await submit(local, {});
    const pauses: number[] = [];
    for (let round = 0; round < 8; round++) {
      const [workerId = ''] = workerIds(local);
      exit(local, workerId, EXIT);
      let waited = 0;
      for (; workerIds(local).length === 0 && waited < 100; waited++) await pass(local, 1000);
      pauses.push(waited);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    const worker = await attachWorker(local.service, 'mine', workerIds(local)[0]);
    expect(await worker.take()).toMatchObject({ id });
    exit(local, worker.id, EXIT);
    expect(workerIds(local)).toHaveLength(1);
  });
});

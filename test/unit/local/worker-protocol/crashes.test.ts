import { describe, expect, test } from 'vitest';
import { recordPrinted } from '../../../../src/local/queue/engine.ts';
import { submit } from '../../../support/local/attached-service.ts';
import { EXIT, exit, KILLED, managed, pass, workerIds } from '../../../support/local/managed-service.ts';
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

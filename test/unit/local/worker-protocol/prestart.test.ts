import { expect, test } from 'vitest';
import { exit, EXIT, managed, pass, workerIds } from '../../../support/local/managed-service.ts';
import { statusOf, submit } from '../../../support/local/attached-service.ts';
import { attachWorker } from '../../../support/local/protocol-worker.ts';

const TEXT = JSON.stringify({
  event: 'prestart_failed',
  error_type: 'ValueError',
  error_message: 'no weights',
  hook: 'load_model',
  logs: 'one\ntwo\nthree\nfour\nlast line\n',
});

test('a worker whose prestart hooks fail says which and why in its log, and is not started again at once', async () => {
  const local = await managed();
  const id = await submit(local, {});
  await pass(local, 0);
  const [workerId = ''] = workerIds(local);
  const worker = await attachWorker(local.service, 'mine', workerId);
  expect((await worker.take())?.id).toBe(id);
  await worker.post(`job-done/${id}`, { error: TEXT });
  expect(await statusOf(local, id)).toMatchObject({ status: 'FAILED', error: TEXT });
  await submit(local, {});
  exit(local, workerId, EXIT);
  await pass(local, 500);
  expect(workerIds(local)).toEqual([]);
  const { text } = await local.send('GET', `/v2/serverless/mine/workers/${workerId}/logs`);
  for (const line of ['prestart hook load_model failed: no weights', 'two', 'last line']) expect(text).toContain(line);
  await pass(local, 1000);
  expect(workerIds(local)).toHaveLength(1);
});

import { expect, test } from 'vitest';
import { attached, submit } from '../../../support/local/attached-service.ts';

test('a worker that has a job of its own cannot report the result of a job of another worker', async () => {
  const local = await attached();
  const other = await local.attach('other');
  await submit(local, {});
  await local.worker.take();
  const id = await submit(local, {});
  await other.take();
  const before = await local.send('GET', `/v2/mine/status/${id}`);
  for (const body of [{ status: 'IN_PROGRESS', output: 1 }, { output: 1 }, { error: 'x' }])
    expect(await local.worker.post(`job-done/${id}`, body)).toMatchObject({ status: 200 });
  expect((await local.send('GET', `/v2/mine/status/${id}`)).text).toBe(before.text);
});

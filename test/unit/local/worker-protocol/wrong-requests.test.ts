import { describe, expect, test } from 'vitest';
import { queuesOf } from '../../../../src/local/queue/records.ts';
import { attached, type AttachedService, atWork, statusOf, submit } from '../../../support/local/attached-service.ts';

/** What the service says in the system logs of the workers of `mine`. */
const notesOf = ({ state }: AttachedService): readonly string[] =>
  Object.values(queuesOf(state).byEndpoint['mine']?.workers ?? {}).flatMap(({ runs }) =>
    runs.flatMap(({ notes = [] }) => notes.map(({ line }) => line)),
  );

describe('wrong requests', () => {
  test('a result or chunk that is not a JSON object is refused with 400, and the job goes on', async () => {
    const { local, id } = await atWork();
    for (const body of ['', 'output=1', '[]', 'null', '{"output": {"a": 1}', '{"output":'.repeat(50_000)])
      for (const operation of ['job-done', 'job-stream'])
        expect(await local.worker.post(`${operation}/${id}`, body)).toMatchObject({
          status: 400,
          body: { error: expect.any(String) as string },
        });
    expect(await local.worker.post(`job-stream/${id}`, { chunk: 1 })).toMatchObject({ status: 400 });
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_PROGRESS' });
  });

  test.each([
    ['NaN', '{"output": [NaN]}', 400, 'the body is not JSON: it has NaN'],
    [
      '21 MB',
      `{"output": "${'x'.repeat(21_000_000)}"}`,
      413,
      'the output has 21000002 bytes, and a job may have at most 20 MB',
    ],
  ])(
    'a result with %s that is sent three times is one line of the log of its worker and of stderr',
    async (_, body, status, reason) => {
      const printed: string[] = [];
      const local = await attached({ log: (endpoint, line) => printed.push(`${endpoint} ${line}`) });
      const id = await submit(local, {});
      await local.worker.take();
      for (let time = 0; time < 3; time++)
        expect(await local.worker.post(`job-done/${id}`, body)).toMatchObject({ status });
      const line = `the result of job ${id} was refused (${String(status)}): ${reason}; it runs until its execution timeout unless another one comes`;
      expect(printed).toEqual([`mine (worker ${local.worker.id}: ${line})`]);
      expect(notesOf(local)).toEqual([line]);
      expect(await local.worker.done(id, 1)).toMatchObject({ status: 200 });
      expect(await statusOf(local, id)).toMatchObject({ status: 'COMPLETED', output: 1 });
    },
  );

  test('a worker that asks for its next job without a result of the one it has is told once, and keeps the job', async () => {
    const printed: string[] = [];
    const local = await attached({ log: (_, line) => printed.push(line) });
    const [first, second, third] = [await submit(local, {}), await submit(local, {}), await submit(local, {})];
    await local.worker.take();
    expect(await local.worker.take(true)).toMatchObject({ id: second });
    expect(printed).toEqual([]);
    await local.worker.done(second, 1);
    expect(await local.worker.take()).toMatchObject({ id: third });
    await local.worker.done(third, 1);
    void local.worker.take();
    await local.settled();
    const line = `asked for its next job, and has sent no result of job ${first}, which runs until its execution timeout`;
    expect(printed).toEqual([`(worker ${local.worker.id}: ${line})`]);
    expect(notesOf(local)).toEqual([line]);
    expect(await statusOf(local, first)).toMatchObject({ status: 'IN_PROGRESS' });
  });

  test('job-take-batch needs a whole batch_size from 1', async () => {
    const local = await attached();
    for (const query of ['batch_size=0', 'batch_size=-1', 'batch_size=x', 'batch_size=1.5', 'batch_size=', ''])
      expect(await local.worker.get('job-take-batch', query)).toMatchObject({ status: 400 });
  });

  test.each(['__proto__', 'a b/c', '%2e%2e'])('a worker may be called %s', async (id) => {
    const local = await attached();
    const worker = await local.attach(id);
    const job = await submit(local, {});
    expect(await worker.take()).toMatchObject({ id: job });
    expect(await worker.done(job, 1)).toMatchObject({ status: 200 });
    expect((await local.send('GET', '/v2/serverless/mine/workers')).body).toMatchObject({ workers: [{ id }] });
  });
});

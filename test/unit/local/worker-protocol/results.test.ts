import { describe, expect, test } from 'vitest';
import { attached, atWork, statusOf, submit } from '../../../support/local/attached-service.ts';

describe('the result of a job', () => {
  test.each([
    ['{"output": {"a": 1.10}}', { status: 'COMPLETED', output: { a: 1.1 } }],
    ['{"output": "text", "stopPod": false}', { status: 'COMPLETED', output: 'text' }],
    ['{"output": null}', { status: 'COMPLETED', output: null }],
    ['{"output": [1, 2]}', { status: 'COMPLETED', output: [1, 2] }],
    ['{}', { status: 'COMPLETED', output: {} }],
    ['{"error": null, "output": 1}', { status: 'COMPLETED', output: 1 }],
    ['{"error": "it broke"}', { status: 'FAILED', error: 'it broke' }],
    ['{"output": 1, "error": "it broke"}', { status: 'FAILED', error: 'it broke' }],
    ['{"error": {"code":  7}}', { status: 'FAILED', error: '{"code":  7}' }],
    ['{"error": "{\\"error_type\\": \\"E\\"}"}', { status: 'FAILED', error: '{"error_type": "E"}' }],
  ])('%s', async (body, expected) => {
    const { local, id } = await atWork();
    expect(await local.worker.post(`job-done/${id}`, body)).toMatchObject({ status: 200 });
    const { delayTime: _delay, executionTime: _execution, ...shown } = await statusOf(local, id);
    expect(shown).toEqual({ id, ...expected });
  });

  test('is kept exactly as the worker sent it', async () => {
    const { local, id } = await atWork();
    await local.worker.post(`job-done/${id}`, '{"output": {"n": 9007199254740993, "big": 1e400}}');
    expect((await local.send('GET', `/v2/mine/status/${id}`)).text).toContain('{"n": 9007199254740993, "big": 1e400}');
  });

  test('a second one answers 200 and changes nothing', async () => {
    const { local, id } = await atWork();
    await local.worker.done(id, 'first');
    expect(await local.worker.done(id, 'second')).toMatchObject({ status: 200 });
    expect(await local.worker.post(`job-done/${id}`, { error: 'third' })).toMatchObject({ status: 200 });
    expect(await statusOf(local, id)).toMatchObject({ status: 'COMPLETED', output: 'first' });
    expect((await local.send('GET', '/v2/mine/health')).body).toMatchObject({ jobs: { completed: 1, failed: 0 } });
  });

  test.each(['of another worker', 'of nobody', 'that waits', 'that was cancelled', 'that is unknown'])(
    'of a job %s answers 200 and changes nothing',
    async (whose) => {
      const local = await attached();
      const other = await local.attach('other');
      if (whose === 'of another worker') {
        await submit(local, {});
        await local.worker.take();
      }
      const id = whose === 'that is unknown' ? 'constructor' : await submit(local, {});
      if (whose === 'of another worker') await other.take();
      if (whose === 'that was cancelled') {
        await local.worker.take();
        await local.send('POST', `/v2/mine/cancel/${id}`);
      }
      const before = await local.send('GET', `/v2/mine/status/${id}`);
      for (const body of [{ output: 1 }, { error: 'x' }, { status: 'IN_PROGRESS', output: 1 }])
        expect(await local.worker.post(`job-done/${id}`, body)).toMatchObject({ status: 200 });
      expect(await local.worker.post(`job-stream/${id}`, { output: 1 })).toMatchObject({ status: 200 });
      expect((await local.send('GET', `/v2/mine/status/${id}`)).text).toBe(before.text);
    },
  );

  test('stopPod: the worker gets no more jobs, and another one can come', async () => {
    const local = await attached();
    const [first, second] = [await submit(local, {}), await submit(local, {})];
    await submit(local, {});
    await local.worker.takeBatch(2);
    await local.worker.post(`job-done/${first}`, { output: 1, stopPod: true });
    expect(await local.worker.get('job-take', 'job_in_progress=1')).toMatchObject({ status: 400 });
    expect((await local.send('GET', '/v2/mine/health')).body).toMatchObject({ workers: { running: 1 } });
    await local.worker.done(second, 2);
    expect((await local.send('GET', '/v2/mine/health')).body).toMatchObject({
      jobs: { completed: 2, inQueue: 1 },
      workers: { running: 0, idle: 0 },
    });
    const other = await local.attach('other');
    expect(await other.take()).toBeDefined();
  });
});

describe('progress and chunks', () => {
  test('progress is the output of a job that runs, and gone when it ends without one', async () => {
    const { local, id } = await atWork();
    await local.worker.post(`job-done/${id}`, { status: 'IN_PROGRESS', output: { percent: 10 } });
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_PROGRESS', output: { percent: 10 } });
    await local.worker.post(`job-done/${id}`, { status: 'IN_PROGRESS', output: 'half' });
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_PROGRESS', output: 'half' });
    await local.worker.post(`job-done/${id}`, { error: 'no' });
    const ended = await statusOf(local, id);
    expect(ended).toMatchObject({ status: 'FAILED', error: 'no' });
    expect(ended).not.toHaveProperty('output');
  });

  test('chunks reach stream when they are sent, and the output is their list', async () => {
    const { local, id } = await atWork();
    await local.worker.post(`job-stream/${id}`, { output: { n: 0 } });
    const chunk = (n: number): object => ({ output: { n }, metrics: { stream_index: n } });
    expect(JSON.parse((await local.send('GET', `/v2/mine/stream/${id}`)).text)).toEqual([chunk(0)]);
    await local.worker.post(`job-stream/${id}`, { output: { n: 1 } });
    await local.worker.post(`job-stream/${id}`, { output: { n: 2 } });
    expect(JSON.parse((await local.send('GET', `/v2/mine/stream/${id}`)).text)).toEqual([chunk(1), chunk(2)]);
    expect(await statusOf(local, id)).not.toHaveProperty('output');
    await local.worker.post(`job-done/${id}`, { output: [] }, 'isStream=true');
    expect(await statusOf(local, id)).toMatchObject({ status: 'COMPLETED', output: [{ n: 0 }, { n: 1 }, { n: 2 }] });
  });

  test.each([
    ['an aggregate', { output: ['all', 'of', 'it'] }, ['all', 'of', 'it']],
    ['an absent list', {}, ['a']],
    ['an empty list', { output: [] }, ['a']],
  ])('the end of a stream with %s', async (_, body, output) => {
    const { local, id } = await atWork();
    await local.worker.post(`job-stream/${id}`, { output: 'a' });
    await local.worker.post(`job-done/${id}`, body, 'isStream=true');
    expect(await statusOf(local, id)).toMatchObject({ status: 'COMPLETED', output });
  });
});

import { describe, expect, test } from 'vitest';
import { attached, statusOf, submit } from '../../../support/local/attached-service.ts';

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

  test('gets jobs of low priority last', async () => {
    const local = await attached();
    const low = await submit(local, { n: 1 }, { policy: { lowPriority: true } });
    const high = await submit(local, { n: 2 });
    expect((await local.worker.takeBatch(9)).map(({ id }) => id)).toEqual([high, low]);
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
    expect(local.clock.monotonic()).toBe(60_000);
  });

  test('that disconnects while it waits gets no job', async () => {
    const local = await attached();
    const hangUp = new AbortController();
    const held = local.worker.get('job-take', 'job_in_progress=0', hangUp.signal);
    await local.settled();
    hangUp.abort();
    expect(await held).toMatchObject({ status: 204 });
    const id = await submit(local, {});
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_QUEUE' });
    expect(await local.worker.take()).toMatchObject({ id });
  });

  test('is answered when the service stops', async () => {
    const local = await attached();
    const held = local.worker.get('job-take', 'job_in_progress=0');
    await local.settled();
    await local.service.stop();
    expect(await held).toMatchObject({ status: 204 });
    expect(local.clock.monotonic()).toBe(0);
  });

  test('is shown among the workers of the endpoint, with its own id', async () => {
    const local = await attached();
    const held = local.worker.take();
    await local.settled();
    expect((await local.send('GET', '/v2/serverless/mine/workers')).body).toMatchObject({
      summary: { idle: 1, total: 1 },
      workers: [{ id: local.worker.id, status: 'IDLE' }],
    });
    await submit(local, {});
    await held;
    expect((await local.send('GET', '/v2/serverless/mine/workers')).body).toMatchObject({
      summary: { running: 1, total: 1 },
    });
    local.clock.advance(1);
    const log = await local.send('GET', `/v2/serverless/mine/workers/${local.worker.id}/logs`);
    expect(log.text).toContain('worker started');
  });
});

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
    const local = await attached();
    const id = await submit(local, {});
    await local.worker.take();
    expect(await local.worker.post(`job-done/${id}`, body)).toMatchObject({ status: 200 });
    const { delayTime: _delay, executionTime: _execution, ...shown } = await statusOf(local, id);
    expect(shown).toEqual({ id, ...expected });
  });

  test('is kept exactly as the worker sent it', async () => {
    const local = await attached();
    const id = await submit(local, {});
    await local.worker.take();
    await local.worker.post(`job-done/${id}`, '{"output": {"n": 9007199254740993, "big": 1e400}}');
    expect((await local.send('GET', `/v2/mine/status/${id}`)).text).toContain('{"n": 9007199254740993, "big": 1e400}');
  });

  test('a second one answers 200 and changes nothing', async () => {
    const local = await attached();
    const id = await submit(local, {});
    await local.worker.take();
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
    const local = await attached();
    const id = await submit(local, {});
    await local.worker.take();
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
    const local = await attached();
    const id = await submit(local, {});
    await local.worker.take();
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
    const local = await attached();
    const id = await submit(local, {});
    await local.worker.take();
    await local.worker.post(`job-stream/${id}`, { output: 'a' });
    await local.worker.post(`job-done/${id}`, body, 'isStream=true');
    expect(await statusOf(local, id)).toMatchObject({ status: 'COMPLETED', output });
  });

  test('an error ends a stream, and its chunks can still be read', async () => {
    const local = await attached();
    const id = await submit(local, {});
    await local.worker.take();
    await local.worker.post(`job-stream/${id}`, { output: 'a' });
    await local.worker.post(`job-done/${id}`, { error: 'broken' }, 'isStream=true');
    expect(await statusOf(local, id)).toMatchObject({ status: 'FAILED', error: 'broken' });
    expect(JSON.parse((await local.send('GET', `/v2/mine/stream/${id}`)).text)).toMatchObject([{ output: 'a' }]);
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
    const local = await attached();
    const id = await submit(local, {});
    await local.worker.take();
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

  test.each([
    ['a request that says so', (id: string) => ['take', id]],
    ['a heartbeat without the job', (id: string) => ['ping', id]],
    ['a result of the job', (id: string) => ['done', id]],
  ])('the worker is busy until it has let go of the job: %s', async (_, how) => {
    const local = await attached();
    const id = await submit(local, {});
    const other = await submit(local, {});
    await local.worker.take();
    await local.send('POST', `/v2/mine/cancel/${id}`);
    expect((await local.send('GET', '/v2/mine/health')).body).toMatchObject({ workers: { running: 1 } });
    const [kind] = how(id);
    if (kind === 'take') expect(await local.worker.take()).toMatchObject({ id: other });
    else {
      if (kind === 'ping') await local.worker.get('ping', `job_id=${id},x`);
      expect((await local.send('GET', '/v2/mine/health')).body).toMatchObject({ workers: { running: 1 } });
      if (kind === 'ping') await local.worker.get('ping', 'job_id=x');
      else await local.worker.done(id, 1);
      expect((await local.send('GET', '/v2/mine/health')).body).toMatchObject({ workers: { idle: 1, running: 0 } });
    }
  });
});

describe('wrong requests', () => {
  const bodies: readonly (readonly [string, string])[] = [
    ['nothing', ''],
    ['no JSON', 'output=1'],
    ['NaN', '{"output": NaN}'],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['null', 'null'],
    ['a cut object', '{"output": {"a": 1}'],
    ['deep nesting that ends nowhere', '{"output":'.repeat(50_000)],
  ];

  test.each(bodies)('a result with %s is refused with 400, and the job goes on', async (_, body) => {
    const local = await attached();
    const id = await submit(local, {});
    await local.worker.take();
    for (const operation of ['job-done', 'job-stream'])
      expect(await local.worker.post(`${operation}/${id}`, body)).toMatchObject({
        status: 400,
        body: { error: expect.any(String) as string },
      });
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_PROGRESS' });
  });

  test('a chunk without output is refused', async () => {
    const local = await attached();
    expect(await local.worker.post('job-stream/x', { chunk: 1 })).toMatchObject({ status: 400 });
  });

  test('a deeply nested result and chunk are taken', async () => {
    const local = await attached();
    const id = await submit(local, {});
    await local.worker.take();
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    expect(await local.worker.post(`job-stream/${id}`, `{"output":${deep}}`)).toMatchObject({ status: 200 });
    expect(await local.worker.post(`job-done/${id}`, `{"output":${deep}}`)).toMatchObject({ status: 200 });
    expect((await local.send('GET', `/v2/mine/status/${id}`)).text).toContain(deep);
  });

  test.each(['batch_size=0', 'batch_size=-1', 'batch_size=x', 'batch_size=1.5', 'batch_size=', ''])(
    'job-take-batch with the query %j is refused',
    async (query) => {
      const local = await attached();
      expect(await local.worker.get('job-take-batch', query)).toMatchObject({ status: 400 });
    },
  );

  test('a worker id that is too long is refused', async () => {
    const local = await attached();
    const worker = await local.attach('x'.repeat(129));
    expect(await worker.get('job-take')).toMatchObject({ status: 400 });
  });

  test.each(['__proto__', 'constructor', 'a b/c', '%2e%2e', 'é'])('a worker may be called %s', async (id) => {
    const local = await attached();
    const worker = await local.attach(id);
    const job = await submit(local, {});
    expect(await worker.take()).toMatchObject({ id: job });
    expect(await worker.done(job, 1)).toMatchObject({ status: 200 });
    expect((await local.send('GET', '/v2/serverless/mine/workers')).body).toMatchObject({ workers: [{ id }] });
  });

  test.each(['echo', 'nowhere'])('the endpoint %s has no such workers: 404', async (endpoint) => {
    const local = await attached();
    for (const [method, path] of [
      ['GET', 'job-take/w'],
      ['GET', 'job-stop/w'],
      ['GET', 'ping/w'],
      ['POST', 'job-done/w/j'],
    ] as const)
      expect(await local.asWorkerOf(endpoint, method, path, method === 'POST' ? '{}' : undefined)).toBe(404);
  });

  test('another method answers 405', async () => {
    const local = await attached();
    expect(await local.asWorkerOf('mine', 'POST', 'job-take/w', '{}')).toBe(405);
    expect(await local.asWorkerOf('mine', 'GET', 'job-done/w/j')).toBe(405);
  });
});

import { describe, expect, onTestFinished, test } from 'vitest';
import type { ProcessEnd, ProcessSpec, RunningProcess } from '../../../../../src/local/index.ts';
import { endpoints } from '../../../../../src/local/model/endpoints.ts';
import { attached, statusOf, submit } from '../../../../support/local/attached-service.ts';
import { attachWorker } from '../../../../support/local/protocol-worker.ts';

/** A process that the test plays. */
interface Played {
  readonly spec: ProcessSpec;
  readonly workerId: string;
  readonly calls: string[];
  end(how: ProcessEnd): void;
}

/** A served service that starts a process for each worker of `mine`. */
async function supervised(command: ProcessSpec['command'] = 'run worker') {
  const processes: Played[] = [];
  const log: string[] = [];
  const startProcess = (spec: ProcessSpec): RunningProcess => {
    const calls: string[] = [];
    let end: (how: ProcessEnd) => void = () => undefined;
    const ended = new Promise<ProcessEnd>((resolve) => (end = resolve));
    processes.push({ spec, workerId: spec.env['BERTH_WORKER_POD_ID'] ?? '', calls, end });
    return {
      ended,
      stop: () => {
        if (!calls.includes('stop')) calls.push('stop');
        end({ code: 0 });
        return Promise.resolve();
      },
      kill: () => {
        calls.push('kill');
        end({ signal: 'SIGKILL' });
      },
    };
  };
  const local = await attached({
    handlers: { mine: { kind: 'command', command, cwd: '/' } },
    startProcess,
    workerPrefix: 'PFX',
    log: (endpoint, text) => log.push(`${endpoint}: ${text}`),
  });
  local.service.start(8181);
  onTestFinished(() => local.service.stop());
  const until = async (isSo: () => boolean): Promise<void> => {
    // The clock jumps to the next look of the service by itself.
    while (!isSo()) await new Promise(setImmediate);
  };
  return { local, processes, log, until };
}

describe('the processes of workers', () => {
  test('a worker is not lost while the service is suspended, and is when it is silent after that', async () => {
    const { local, processes, until } = await supervised();
    const [cancelled, id] = [await submit(local, {}), await submit(local, {})];
    await until(() => processes.length > 0);
    const worker = await attachWorker(local.service, 'mine', processes[0]?.workerId);
    expect(await worker.takeBatch(2)).toHaveLength(2);
    await local.send('POST', `/v2/mine/cancel/${cancelled}`);
    // As after SIGSTOP and SIGCONT: nothing ran in between.
    local.clock.advance(120_000);
    const resumedAt = local.clock.monotonic();
    await until(() => local.clock.monotonic() - resumedAt > 3000);
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_PROGRESS' });
    await worker.get('ping', `job_id=${id}`);
    await until(() => local.clock.monotonic() - resumedAt > 25_000);
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_PROGRESS' });
    await until(() => local.clock.monotonic() - resumedAt > 40_000);
    expect(await statusOf(local, id)).toMatchObject({ status: 'IN_QUEUE' });
  });

  test('one starts when a job waits, with the variables of the protocol and of the endpoint', async () => {
    const { local, processes, until } = await supervised();
    await local.send('PATCH', '/v2/serverless/mine', { env: { MODEL: 'large' } });
    expect(processes).toEqual([]);
    await submit(local, {});
    await until(() => processes.length > 0);
    const [first] = processes;
    expect(first?.spec).toMatchObject({ command: 'run worker', cwd: '/' });
    expect(first?.spec.env).toMatchObject({
      MODEL: 'large',
      PYTHONUNBUFFERED: '1',
      BERTH_WORKER_ENDPOINT_ID: 'mine',
      PFX_WEBHOOK_GET_JOB: 'http://127.0.0.1:8181/worker/mine/job-take/$ID?service=local',
      PFX_POD_ID: first?.workerId,
    });
  });

  test.each([
    ['QUEUE', undefined],
    ['LOAD_BALANCER', ['80', '80', '/ping']],
  ] as const)('one of an endpoint of type %s reads where it must listen: %j (additions 10)', async (type, expected) => {
    const { local, processes, until } = await supervised();
    // A served endpoint is made with the type QUEUE, which no request changes.
    Object.assign(endpoints.get(local.state, 'mine') ?? {}, { type });
    const scaling = { type: 'REQUEST_COUNT', requestCount: 4 };
    expect((await local.send('PATCH', '/v2/serverless/mine', { scaling, workers: { min: 1 } })).status).toBe(200);
    await until(() => processes.length > 0);
    const { PORT, PORT_HEALTH, HEALTH_CHECK_PATH } = processes[0]?.spec.env ?? {};
    expect([PORT, PORT_HEALTH, HEALTH_CHECK_PATH]).toEqual(expected ?? [undefined, undefined, undefined]);
  });

  test('a Python file that serves no job fails the waiting jobs with its reason; the next job starts it again', async () => {
    const { local, processes, until } = await supervised(['python3', 'runner.py', '/home/worker.py']);
    const ids = [await submit(local, {}), await submit(local, {})];
    await until(() => processes.length > 0);
    processes[0]?.spec.onStderr('worker.py defines no handler\n');
    processes[0]?.end({ code: 78 });
    const ended = async (id: string): Promise<boolean> => (await statusOf(local, id))['status'] !== 'IN_QUEUE';
    while (!(await ended(ids[0] ?? ''))) await new Promise(setImmediate);
    for (const id of ids)
      expect(await statusOf(local, id)).toMatchObject({ status: 'FAILED', error: 'worker.py defines no handler' });
    expect(processes).toHaveLength(1);
    await submit(local, {});
    await until(() => processes.length === 2);
  });

  test('a reload replaces an idle worker at once, and one with a job after it', async () => {
    const { local, processes, until } = await supervised();
    await local.send('PATCH', '/v2/serverless/mine', { workers: { min: 1, max: 1 } });
    const id = await submit(local, {});
    await until(() => processes.length > 0);
    const worker = await attachWorker(local.service, 'mine', processes[0]?.workerId);
    await worker.take();
    await local.service.reload(['mine']);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect([processes.length, processes[0]?.calls]).toEqual([1, []]);
    await worker.done(id, 1);
    await until(() => processes.length > 1);
    expect(processes[0]?.calls).toEqual(['stop']);
    const { body } = await local.send('GET', '/v2/serverless/mine/releases');
    expect(body).toMatchObject({ endpointVersion: 2, releases: [{ diff: [{ field: 'files' }] }, {}] });
  });
});

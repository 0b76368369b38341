import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { realClock } from '../../../src/host/runtime/runtime.ts';
import { serveLocal } from '../../../src/local/http/server.ts';
import { protocolVariables } from '../../../src/local/workers/handlers.ts';
import { temporaryDirectory } from '../../support/files/temporary-directory.ts';
import { attachmentOf } from '../../support/local/protocol-worker.ts';
import { localFixture } from '../../support/local/service-fixture.ts';

const RUNNER = join(import.meta.dirname, '../../../workers/berth_worker.py');
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']).status === 0;

/** Serves an endpoint with berth's own worker, which runs this Python file. Returns what runs a job to its end. */
async function serve(file: string): Promise<(input: object) => Promise<Readonly<Record<string, unknown>>>> {
  const { service, send } = localFixture({ clock: realClock, handlers: { up: { kind: 'attach' } } });
  const served = await serveLocal(service, { port: 0, host: '127.0.0.1' });
  const { workerId, key } = await attachmentOf(service, 'up');
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'worker.py'), file);
  const worker = spawn('python3', [RUNNER, 'worker.py'], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      PYTHONDONTWRITEBYTECODE: '1',
      ...protocolVariables('BERTH_WORKER', { origin: served.url, endpointId: 'up', workerId }, key),
    },
  });
  let printed = '';
  worker.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
  onTestFinished(async () => {
    worker.kill('SIGKILL');
    if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
    await served.stop();
    await service.stop();
  });
  return async (input) => {
    const { body: submitted } = await send('POST', '/v2/up/run', { input, policy: { executionTimeout: 250_000 } });
    for (;;) {
      const { body } = await send('GET', `/v2/up/status/${String(submitted['id'])}`);
      if (body['status'] !== 'IN_QUEUE' && body['status'] !== 'IN_PROGRESS') return { ...body, printed };
      await pause(20);
    }
  };
}

describe.skipIf(!hasPython || process.platform === 'win32')("berth's own Python worker", () => {
  test('takes jobs while it has more than 1024 open files', async () => {
    const run = await serve(`
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (1200, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
files = [open("/dev/null") for _ in range(1100)]
def handler(job):
    return len(files)
`);
    expect(await run({})).toMatchObject({ status: 'COMPLETED', output: 1100 });
  });

  test('sends text that is not Unicode, such as the name of a file', async () => {
    const run = await serve(`
import os
def handler(job):
    return os.fsdecode(b"caf\\xe9")
`);
    expect(await run({})).toMatchObject({ status: 'COMPLETED', output: 'caf\udce9' });
  });

  test.each([
    ['the output of a function', 'return "x" * job["input"]["size"]', 'x'],
    ['a chunk of a generator', 'yield "x" * job["input"]["size"]', ['x']],
    [
      'the list of the chunks of a generator',
      'for _ in range(10):\n        yield "x" * (job["input"]["size"] // 10)',
      undefined,
    ],
    ['a report of progress', 'job.progress("x" * job["input"]["size"])\n    return 1', 1],
  ])('fails a job with the sentence of the service when %s is too large, and goes on', async (_, body, output) => {
    const run = await serve(`
def handler(job):
    ${body}
`);
    const refused = await run({ size: 25_000_000 });
    expect(refused).toMatchObject({ status: 'FAILED' });
    expect(refused['error']).toMatch(/^the output has 2500\d{4} bytes, and a job may have at most 20 MB$/);
    expect(await run({ size: 1 })).toMatchObject({ status: 'COMPLETED', ...(output === undefined ? {} : { output }) });
  });

  test('fails a job whose output is not JSON, and goes on', async () => {
    const run = await serve(`
async def later():
    return 1
cyclic = []
cyclic.append(cyclic)
outputs = {
    "a function": later, "a coroutine in a list": [later()], "a set": {1}, "bytes": b"x", "a class": int,
    "NaN": float("nan"), "infinity as a key": {float("inf"): 1}, "a list in itself": cyclic, "an iterator": iter([1]),
}
def handler(job):
    return outputs[job["input"]["name"]]
`);
    const names = ['a function', 'a coroutine in a list', 'a set', 'bytes', 'a class', 'NaN', 'infinity as a key'];
    for (const name of [...names, 'a list in itself', 'an iterator']) {
      const job = await run({ name });
      expect([name, job['status']]).toEqual([name, 'FAILED']);
      expect(job['error']).toMatch(/^the output is not JSON: .*(JSON|Circular|iterator)/);
    }
  });
});

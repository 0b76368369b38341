import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { berthPath, installedAt, isPackage, runProgram } from '../support.ts';
import { canTestWorkers, folderWith, localExec, serveLocal, until } from './support.ts';

const HANDLER = 'def handler(job):\n    return 1\n';

test.skipIf(!canTestWorkers)('a service that does not answer with HTTP ends no worker', async () => {
  const folder = await folderWith({ 'worker.py': HANDLER });
  const done: string[] = [];
  let taken = 0;
  const server = createServer((request, response) => {
    const [, , , operation = '', , job = ''] = (request.url ?? '').split(/[/?]/);
    if (operation === 'job-done') done.push(job);
    if (operation === 'job-done' && job === 'job-1') response.socket?.end('no HTTP\r\n\r\n');
    else if (operation === 'job-take' && taken < 2)
      response.end(JSON.stringify({ id: `job-${String((taken += 1))}`, input: {} }));
    else if (operation === 'job-done') response.end('{}');
    // Any other request is held until the end.
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/worker/up`;
  // The executable has a copy of the same file in it.
  const root = isPackage ? installedAt() : path.join(import.meta.dirname, '../../..');
  const runner = path.join(root, 'workers/berth_worker.py');
  const worker = spawn('python3', [runner, 'worker.py'], {
    cwd: folder.path,
    stdio: 'ignore',
    env: {
      ...folder.env,
      BERTH_WORKER_POD_ID: 'w1',
      BERTH_WORKER_WEBHOOK_GET_JOB: `${origin}/job-take/$ID?service=local`,
      BERTH_WORKER_WEBHOOK_POST_OUTPUT: `${origin}/job-done/$BERTH_WORKER_POD_ID/$ID?service=local`,
    },
  });
  onTestFinished(async () => {
    worker.kill('SIGKILL');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  await until(() => done.includes('job-2'));
  expect(done).toEqual(['job-1', 'job-1', 'job-1', 'job-1', 'job-2']);
});

describe.skipIf(!canTestWorkers)('a Python file that is no worker', () => {
  test.each([
    ['a syntax error', { 'worker.py': 'def handler(job:\n' }, [], /Python cannot read .*worker\.py[^]*SyntaxError/],
    ['no such file', {}, [], /the Python file of endpoint "up" does not exist: worker\.py/],
    ['no such Python', { 'worker.py': HANDLER }, ['--python', 'python9'], /"python9" cannot be run/],
  ])('%s: refused before anything is served', async (_, files, flags, message) => {
    const folder = await folderWith(files);
    const { code, stdout, stderr } = await runProgram(
      berthPath(),
      ['local', 'exec', '--endpoint', 'up=worker.py', ...flags, '--', 'touch', 'ran'],
      { env: folder.env, cwd: folder.path },
    );
    expect([code, stdout, folder.has('ran')]).toEqual([2, '', false]);
    expect(stderr).toMatch(message);
  });

  test.each([
    [
      'imports a missing package',
      3,
      'import no_such_package\n',
      /ModuleNotFoundError: No module named 'no_such_package'/,
    ],
    ['exits at its start', 2, 'import sys\nprint("no card")\nsys.exit(3)\n', /no card\n.*ended with exit code 3/],
  ])('%s: shown, and started again only after longer and longer pauses', async (_, count, source, message) => {
    const folder = await folderWith({
      'worker.py': `import time\nopen("starts", "a").write("%f\\n" % time.time())\n${source}`,
    });
    const served = await serveLocal(folder, ['--endpoint', 'up=worker.py']);
    const { id } = await served.run('up', {});
    await until(() => (served.stderr().match(/before it asked for a job/g) ?? []).length >= count);
    const starts = folder.lines('starts').map(Number);
    expect(starts.length).toBeGreaterThanOrEqual(count);
    expect((starts[1] ?? 0) - (starts[0] ?? 0)).toBeGreaterThan(0.9);
    if (count > 2) expect((starts[2] ?? 0) - (starts[1] ?? 0)).toBeGreaterThan(1.9);
    expect(served.stderr()).toMatch(message);
    expect(await served.status('up', id)).toMatchObject({ status: 'IN_QUEUE' });
  });

  test('defines nothing: the waiting job fails at once with the reason, and a corrected file serves the next one', async () => {
    const folder = await folderWith({ 'worker.py': 'open("starts", "a").write("start\\n")\nhandlers = 1\n' });
    const served = await serveLocal(folder, ['--endpoint', 'up=worker.py']);
    const { id } = await served.run('up', {});
    await until(async () => (await served.status('up', id)).status !== 'IN_QUEUE');
    const reason = `${folder.at('worker.py')} starts no worker and defines no function named handler`;
    expect(await served.status('up', id)).toMatchObject({ status: 'FAILED', error: reason });
    expect(served.stderr()).toContain(reason);
    expect(folder.lines('starts')).toHaveLength(1);
    folder.write('worker.py', HANDLER);
    const next = await served.run('up', {});
    await until(async () => (await served.status('up', next.id)).status === 'COMPLETED');
  });

  test('`explain` names the file that crashes, and no image', async () => {
    const folder = await folderWith({ 'worker.py': 'import no_such_package\n' });
    const script = `id=$(berth jobs run up --input '{}')
until berth jobs explain up "$id" --json > found && grep workers-crash found >&2; do :; done
cat found`;
    const { code, stdout, stderr } = await localExec(folder, ['--endpoint', 'up=worker.py'], script);
    expect(code, stderr).toBe(0);
    // One answer: the next one may find a worker that starts again.
    expect((JSON.parse(stdout) as { cure: unknown }).cure).toEqual([
      expect.stringMatching(/^berth endpoints logs up w/),
      `fix ${folder.at('worker.py')}`,
    ]);
  });

  test('a file that prints 100 MB grows neither the memory nor the state, and still serves', async () => {
    const folder = await folderWith({
      'worker.py': `line = "x" * 999 + "\\n"\nfor _ in range(100):\n    print(line * 1000, end="")\nprint("y" * 10_000_000)\nprint("ready")\n${HANDLER}`,
    });
    const served = await serveLocal(folder, ['--endpoint', 'up=worker.py', '--state', 'state.json']);
    const before = peakMemory(served.pid);
    const { id } = await served.run('up', {});
    await until(async () => (await served.status('up', id)).status === 'COMPLETED');
    // What it would take to keep the text: a log keeps 5,000 lines.
    if (before !== undefined) expect((peakMemory(served.pid) ?? 0) - before).toBeLessThan(100_000);
    expect(statSync(folder.at('state.json')).size).toBeLessThan(10_000_000);
    // The lines that were left out are told with the next line, or at the end.
    await served.end();
    expect(served.stderr()).toMatch(/\[up\] \(\d+ lines left out/);
    expect(served.stderr().length).toBeLessThan(20_000_000);
  });
});

/** The most memory that a process has used, in kB; undefined where there is no /proc. */
function peakMemory(pid: number): number | undefined {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined;
  }
}

test('both logs say that a worker forgot a job', async () => {
  const folder = await folderWith({});
  const served = await serveLocal(folder, ['--endpoint', 'up']);
  const env = { ...folder.env, BERTH_BASE_URL: served.url, BERTH_API_KEY: served.key };
  const printed = await runProgram(berthPath(), ['local', 'worker-env', 'up', '--json'], { env });
  const variables = JSON.parse(printed.stdout) as Readonly<Record<string, string>>;
  const worker = variables['BERTH_WORKER_POD_ID'] ?? '';
  const take = (variables['BERTH_WORKER_WEBHOOK_GET_JOB'] ?? '').replaceAll('$ID', worker);
  const { id } = await served.run('up', {});
  await served.run('up', {});
  // The second request says that the worker works on nothing.
  for (let count = 0; count < 2; count++)
    expect(
      (
        await fetch(`${take}&job_in_progress=0`, {
          headers: { Authorization: variables['BERTH_WORKER_AI_API_KEY'] ?? '' },
        })
      ).status,
    ).toBe(200);
  const line = `asked for its next job, and has sent no result of job ${id}, which runs until its execution timeout`;
  await until(() => served.stderr().includes(`[up] (worker ${worker}: ${line})`));
  const logs = await runProgram(berthPath(), ['endpoints', 'logs', 'up', worker, '--source', 'system'], { env });
  expect(logs.stdout).toContain(line);
});

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { berth, berthPath, cleanEnvironment, serve, serveJson, temporaryFolder } from './support.ts';
import type { Environment } from './support.ts';

// Rows 21 and 41 of docs/faults.md: what signals do to the process and to what it started.

const KEY = 'key-of-this-test-0123456789';

/** A job that never ends. `asked` waits until its state is asked for once more. */
async function endlessJob(): Promise<{ readonly env: Environment; readonly asked: () => Promise<void> }> {
  const waiting = new Set<() => void>();
  const url = await serve((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"id":"job1","status":"IN_PROGRESS"}');
    for (const tell of waiting) tell();
    waiting.clear();
  });
  const env = await cleanEnvironment({ BERTH_BASE_URL: url, BERTH_QUEUE_URL: url, BERTH_API_KEY: KEY });
  return { env, asked: () => new Promise<void>((resolve) => waiting.add(resolve)) };
}

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(command: string, args: readonly string[], env: Environment) {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => {
      resolve({ code, signal, stdout, stderr });
    });
  });
  return { child, ended };
}

/** Waits for something that another process does. */
async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await pause(20);
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A process that nobody reaps yet is as good as gone.
    return (
      !existsSync(`/proc/${String(pid)}/stat`) || !readFileSync(`/proc/${String(pid)}/stat`, 'utf8').includes(') Z ')
    );
  } catch {
    return false;
  }
};

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGQUIT', 143],
  ['SIGHUP', 143],
] as const)('%s ends a command with %i, without a core file, and it says how to go on', async (name, exit) => {
  const { env, asked } = await endlessJob();
  const script = 'ulimit -c unlimited 2> /dev/null; exec "$@"';
  const { child, ended } = start('/bin/sh', ['-c', script, 'sh', berthPath(), 'jobs', 'wait', 'ep', 'job1'], env);
  await asked();
  child.kill(name);
  const { code, signal, stderr } = await ended;
  expect([code, signal], stderr).toEqual([exit, null]);
  expect(stderr).toContain('Go on with: berth jobs wait ep job1');
});

test('a second SIGINT ends a process that cannot end by itself', async () => {
  const pods = Array.from({ length: 20_000 }, (_, at) => ({ id: `pod${String(at)}` }));
  const { url, seen } = await serveJson({ pods, pagination: { nextCursor: null, hasNextPage: false } });
  const env = await cleanEnvironment({ BERTH_BASE_URL: url, BERTH_API_KEY: KEY });
  // Nobody reads its output, so it waits in the middle of writing it.
  const child = spawn(berthPath(), ['pods', 'list', '-o', 'json'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  await until(() => seen.length > 0 || child.exitCode !== null);
  // Two that come before a busy machine has handled one are one.
  const again = setInterval(() => child.kill('SIGINT'), 100);
  expect(await ended).toBe(130);
  clearInterval(again);
});

const hasProc = existsSync('/proc/self/status');

test.skipIf(!hasProc)('SIGHUP stays ignored after nohup', async () => {
  const { env, asked } = await endlessJob();
  const script = 'exec nohup "$@" > /dev/null';
  const { child, ended } = start('bash', ['-c', script, 'sh', berthPath(), 'jobs', 'wait', 'ep', 'job1'], {
    ...env,
    // As an interactive shell sets it.
    _: '/usr/bin/nohup',
  });
  await asked();
  child.kill('SIGHUP');
  child.kill('SIGHUP');
  // It goes on asking.
  await asked();
  await asked();
  expect(child.exitCode).toBeNull();
  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  expect(code, stderr).toBe(143);
});

test('SIGUSR1 does not open the inspector and does not end the command', async () => {
  const { env, asked } = await endlessJob();
  const { child, ended } = start(berthPath(), ['jobs', 'wait', 'ep', 'job1'], env);
  await asked();
  child.kill('SIGUSR1');
  // It goes on asking.
  await asked();
  await asked();
  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  expect(code).toBe(143);
  expect(stderr).not.toContain('Debugger');
});

test.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
  '%s of `local exec` takes its command down with it',
  async (signal) => {
    const folder = await temporaryFolder();
    // An answer of the service: by then the command is watched, too.
    const answered = `node -e 'fetch(process.env.BERTH_BASE_URL)'`;
    const script = `sleep 300 & echo $! > grandchild.tmp; echo $$ > child; ${answered} && mv grandchild.tmp grandchild; wait`;
    const env = await cleanEnvironment();
    const child = spawn(berthPath(), ['local', 'exec', '--', 'sh', '-c', script], {
      env,
      cwd: folder,
      stdio: 'ignore',
    });
    await until(() => existsSync(path.join(folder, 'grandchild')));
    const pids = ['child', 'grandchild'].map((name) => Number(readFileSync(path.join(folder, name), 'utf8')));
    child.kill(signal);
    await new Promise((resolve) => child.on('exit', resolve));
    try {
      await until(() => !isAlive(pids[0] ?? 0));
      if (signal === 'SIGKILL') await until(() => !isAlive(pids[1] ?? 0));
    } finally {
      for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    }
  },
);

test('`pods ssh` gives the key to no program that it starts', async () => {
  const { url } = await serveJson({
    id: 'p1',
    status: 'RUNNING',
    ssh: { direct: { host: '127.0.0.1', port: 22, username: 'root' } },
  });
  const folder = await temporaryFolder();
  const programs = path.join(folder, 'bin');
  mkdirSync(programs);
  writeFileSync(path.join(programs, 'ssh'), '#!/bin/sh\nenv > "$HOME/seen"\n', { mode: 0o755 });
  const env = await cleanEnvironment({ BERTH_BASE_URL: url, BERTH_API_KEY: KEY, BERTH_API_KEY_FILE: '/nowhere' });
  const PATH = `${programs}${path.delimiter}${env['PATH'] ?? ''}`;
  const { code, stderr } = await berth(['pods', 'ssh', 'p1'], { env: { ...env, PATH, HOME: folder } });
  expect(code, stderr).toBe(0);
  const seen = readFileSync(path.join(folder, 'seen'), 'utf8');
  expect(seen).toContain('BERTH_BASE_URL');
  expect(seen).not.toContain('BERTH_API_KEY');
});

test.skipIf(!hasProc).each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends a --jq program that never ends by itself',
  async (signal) => {
    const { url, seen } = await serveJson({ id: 'p1' });
    const env = await cleanEnvironment({ BERTH_BASE_URL: url, BERTH_API_KEY: KEY });
    const argv = ['pods', 'get', 'p1', '--jq', 'if . == null then 1 else (def f: f; f) end'];
    const { child, ended } = start(berthPath(), argv, env);
    const work = (): number => Number(readFileSync(`/proc/${String(child.pid)}/stat`, 'utf8').split(' ')[13]);
    await until(() => seen.length > 0);
    // Hundredths of a second since it was answered: by then it is at nothing else.
    const before = work();
    await until(() => work() - before > 150);
    child.kill(signal);
    expect(await ended).toMatchObject({ signal });
  },
);

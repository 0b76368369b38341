import { spawn, type ChildProcess } from 'node:child_process';
import { expect, test } from 'vitest';
import { berthPath, cleanEnvironment, serve, serveJson } from './support.ts';

// Row 21 of docs/faults.md: what Ctrl-C does to a process.

const KEY = 'key-of-this-test-0123456789';

interface Running {
  readonly child: ChildProcess;
  /** How it ended: exit code (none where a signal killed it) and what it said. */
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
}

async function start(url: string, args: readonly string[], readOutput = true): Promise<Running> {
  const env = await cleanEnvironment({ BERTH_BASE_URL: url, BERTH_QUEUE_URL: url, BERTH_API_KEY: KEY });
  const child = spawn(berthPath(), args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  if (readOutput) child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Awaited<Running['ended']>>((resolve) => {
    child.on('exit', (code) => {
      child.stdout.resume();
      setImmediate(() => {
        expect(stdout + stderr).not.toContain(KEY);
        expect(stderr).not.toMatch(/\n\s+at /);
        resolve({ code, stdout, stderr });
      });
    });
  });
  return { child, ended };
}

/** A queue whose job never ends; `asked` resolves at the nth request to it. */
async function endlessQueue(nth: number): Promise<{
  readonly url: string;
  readonly asked: Promise<void>;
  readonly seen: readonly string[];
}> {
  const seen: string[] = [];
  let tell: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (tell = resolve));
  const url = await serve((request, response) => {
    seen.push(`${request.method ?? ''} ${request.url ?? ''}`);
    const value = request.url?.includes('/stream/') === true ? [] : { id: 'job1', status: 'IN_PROGRESS' };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    if (seen.length === nth) setTimeout(tell, 50);
  });
  return { url, asked, seen };
}

test.each([
  ['SIGINT', 130, ['jobs', 'wait', 'ep1', 'job1'], 'berth jobs wait ep1 job1'],
  ['SIGINT', 130, ['jobs', 'run', 'ep1', '--input', '{}', '--wait'], 'berth jobs wait ep1 job1'],
  ['SIGINT', 130, ['jobs', 'run', 'ep1', '--input', '{}', '--sync'], 'berth jobs wait ep1 job1'],
  ['SIGINT', 130, ['jobs', 'stream', 'ep1', 'job1'], 'berth jobs stream ep1 job1'],
  ['SIGTERM', 143, ['jobs', 'wait', 'ep1', 'job1'], 'berth jobs wait ep1 job1'],
] as const)('%s ends %i in %j, says how to go on and cancels nothing', async (signal, exit, args, goOn) => {
  const { url, asked, seen } = await endlessQueue(2);
  const { child, ended } = await start(url, args);
  await Promise.race([asked, ended]);
  child.kill(signal);
  const { code, stdout, stderr } = await ended;
  expect({ code, stdout }, stderr).toEqual({ code: exit, stdout: '' });
  expect(stderr).toContain(`Go on with: ${goOn}`);
  expect(stderr).toContain('job1');
  expect(seen.filter((line) => line.includes('cancel'))).toEqual([]);
});

test('SIGINT in the middle of a request ends it at once, and says that a write may have happened', async () => {
  let tell: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (tell = resolve));
  const url = await serve((request) => {
    request.resume().on('end', tell);
  });
  const { child, ended } = await start(url, ['--json', 'jobs', 'run', 'ep1', '--input', '{}']);
  await Promise.race([asked, ended]);
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  expect(code).toBe(130);
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'interrupted', hint: expect.stringContaining('berth health ep1') as string },
  });
});

test('a second SIGINT ends a process that cannot end by itself', async () => {
  const { url, seen } = await serveJson({
    pods: Array.from({ length: 20_000 }, (_, at) => ({ id: `pod${String(at)}` })),
    pagination: { nextCursor: null, hasNextPage: false },
  });
  // Nobody reads its output, so it waits in the middle of writing it.
  const { child, ended } = await start(url, ['pods', 'list', '-o', 'json'], false);
  while (seen.length === 0 && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 10));
  await new Promise((resolve) => setTimeout(resolve, 300));
  child.kill('SIGINT');
  await new Promise((resolve) => setTimeout(resolve, 100));
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
});

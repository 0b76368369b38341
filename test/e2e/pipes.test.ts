import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { berthPath, cleanEnvironment, runProgram, serve, serveJson, type Ended, type Environment } from './support.ts';

// Rows 18 and 22 of docs/faults.md: streams that end, stall or refuse, as a shell makes them.

const KEY = 'key-of-this-test-0123456789';

/** More than a pipe holds: a list whose JSON is over a megabyte. */
const PODS = Array.from({ length: 4000 }, (_, at) => ({
  id: `pod${String(at)}`,
  name: `the pod number ${String(at)} of a long list`,
  status: 'RUNNING',
  actions: ['stop', 'restart', 'terminate'],
  image: `registry.example.com/image:${String(at)}`,
  cost: 0.5,
}));

async function environment(): Promise<Environment> {
  const { url } = await serveJson({ pods: PODS, pagination: { nextCursor: null, hasNextPage: false } });
  return await cleanEnvironment({ BERTH_BASE_URL: url, BERTH_QUEUE_URL: url, BERTH_API_KEY: KEY });
}

/** A shell line in which `berth` is the installed program. */
async function shell(line: string, env?: Environment): Promise<Ended> {
  const script = `set -o pipefail; berth() { '${berthPath()}' "$@"; }; ${line}`;
  const ended = await runProgram('bash', ['-c', script], { env: env ?? (await environment()) });
  expect(ended.stdout + ended.stderr).not.toContain(KEY);
  expect(ended.stderr).not.toMatch(/\n\s+at /);
  return ended;
}

test.each(['', '--json', '-o jsonl', '--jq .[].id'])(
  'berth pods list %s | head -1: a line, a quiet end, 0',
  async (flags) => {
    const { code, stdout, stderr } = await shell(`berth pods list ${flags} | head -1`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toHaveLength(2);
  },
);

test('a reader that never was: a quiet end, 0', async () => {
  expect(await shell('berth pods list --json | true')).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await shell('berth --help | true')).stderr).toBe('');
});

test.each(['--json', ''])('a slow reader gets every byte of berth pods list %s', async (flags) => {
  const { code, stdout, stderr } = await shell(`berth pods list ${flags} | (sleep 0.5; cat)`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe((await shell(`berth pods list ${flags}`)).stdout);
  expect(stdout.match(/pod\d+\b/g)?.at(-1)).toBe('pod3999');
  if (flags === '--json') expect(JSON.parse(stdout)).toEqual(PODS);
});

test.skipIf(process.platform !== 'linux')(
  'with standard output closed, the id of a job is told on stderr',
  async () => {
    const env = await cleanEnvironment();
    const run = `berth --local jobs run echo --input '{}'`;
    const { code, stdout, stderr } = await shell(`${run} >&-`, env);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    const id = /Standard output is closed, so this was not printed there: (\S+)\n/.exec(stderr)?.[1] ?? '';
    expect((await shell(`berth --local jobs status echo ${id} -o id`, env)).stdout).toBe(`${id}\n`);
    expect((await shell(`${run} >/dev/null`, env)).stderr).toMatch(/^submitted job \S+\n$/);
  },
);

test.each(['--json', ''])('a full disk behind berth pods list %s: 14', async (flags) => {
  const { code, stderr } = await shell(`berth pods list ${flags} > /dev/full`);
  expect(code).toBe(14);
  expect(stderr).toMatch(/the disk is full/);
  if (flags === '--json')
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'output', hint: expect.any(String) as string } });
});

test('a full disk behind help and config: 14', async () => {
  for (const line of ['berth --help', 'berth config get timeout', 'berth pods --help']) {
    const { code, stderr } = await shell(`${line} > /dev/full`);
    expect({ line, code }).toEqual({ line, code: 14 });
    expect(stderr).toMatch(/the disk is full/);
  }
});

test('nobody to hear the errors: the exit code still says it', async () => {
  for (const nowhere of ['2>&-', '2>/dev/full']) {
    expect((await shell(`berth no-such-noun ${nowhere}`)).code).toBe(2);
    expect((await shell(`berth pods get '' ${nowhere}`)).code).toBe(2);
    expect((await shell(`berth pods list -o id ${nowhere} | tail -1`)).stdout).toBe('pod3999\n');
  }
});

test.each([
  ['jobs run ep1 --input -', 2, /stdin|standard input/],
  ['queue purge ep1', 2, /--yes/],
  ['auth login --with-key --base-url https://api.example.com', 3, /the key in the input is empty/],
])('with standard input closed or empty, berth %s ends %i, and never hangs', async (words, exit, says) => {
  for (const input of ['<&-', '</dev/null']) {
    const { code, stdout, stderr } = await shell(`berth ${words} ${input}`);
    expect({ code, stdout }, stderr).toEqual({ code: exit, stdout: '' });
    expect(stderr).toMatch(says);
  }
});

test('a chunk of a stream is written when it comes, not when the stream ends', async () => {
  let polls = 0;
  let seenFirst: () => void = () => undefined;
  const first = new Promise<void>((resolve) => (seenFirst = resolve));
  const url = await serve((request, response) => {
    const stream = request.url?.includes('/stream/') === true;
    const answer = (value: unknown): void => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    };
    if (!stream) answer({ id: 'job1', status: polls > 2 ? 'COMPLETED' : 'IN_PROGRESS' });
    else if (++polls === 1) answer([{ output: 'first ' }]);
    // The second chunk is held back until the first was read.
    else if (polls === 2)
      void first.then(() => {
        answer([{ output: 'second' }]);
      });
    else answer([]);
  });
  const env = await cleanEnvironment({ BERTH_BASE_URL: url, BERTH_QUEUE_URL: url, BERTH_API_KEY: KEY });
  const child = spawn(berthPath(), ['jobs', 'stream', 'ep1', 'job1'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    seenFirst();
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, out }).toEqual({ code: 0, out: 'first second\n' });
});

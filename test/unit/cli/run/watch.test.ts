import { describe, expect, test } from 'vitest';
import { pauseOf } from '../../../../src/cli/until.ts';
import { json, pointedAt, serve, type Behaviour } from '../../../support/servers/scripted-server.ts';
import { Terminal } from '../../../support/output/terminal-emulator.ts';
import { berth, berthIn, type Ran } from '../../../support/worlds/run-berth.ts';
import { createTestWorld, KEYS } from '../../../support/worlds/test-world.ts';

const pod = (status: string, more: object = {}): Behaviour => json({ id: 'pod1', name: 'p', status, ...more });
const GONE = json({ title: 'Not Found', status: 404, detail: 'pod not found' }, 404);
const DOWN = json({ title: 'Bad Gateway', status: 502, detail: 'no upstream' }, 502);

/** Runs a watch in a pipe. */
async function watched(argv: readonly string[], script: readonly Behaviour[], env: Record<string, string> = {}) {
  const server = await serve(script);
  return { ...(await berth(argv, { env: { ...pointedAt(server.url), ...env } })), server };
}

const lines = ({ out }: Ran): readonly Record<string, unknown>[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('a watch ends by itself', () => {
  test.each([
    ['a pod in ERROR', ['pods', 'get', 'pod1', '--watch'], [pod('RUNNING'), pod('ERROR')], 0],
    ['and with --exit-status', ['pods', 'get', 'pod1', '--watch', '--exit-status'], [pod('ERROR')], 10],
    ['a job', ['jobs', 'status', 'ep1', 'j1', '--watch'], ['IN_QUEUE', 'IN_PROGRESS', 'FAILED'], 0],
    ['with its outcome', ['jobs', 'status', 'ep1', 'j1', '--watch', '--exit-status'], ['IN_QUEUE', 'TIMED_OUT'], 12],
  ] as const)('%s', async (_, argv, script, exit) => {
    const answers = script.map((each) => (typeof each === 'string' ? json({ id: 'j1', status: each }) : each));
    const ran = await watched([...argv, '-o', 'jsonl'], answers);
    expect([ran.code, ran.err]).toEqual([exit, '']);
    expect(lines(ran)).toHaveLength(script.length);
    expect(ran.server.seen).toHaveLength(script.length);
  });

  test('when a rollout that was going on is complete', async () => {
    const rollout = (inProgress: boolean) => json({ releases: [], rollout: { inProgress } });
    const argv = ['endpoints', 'releases', 'ep1', '--watch', '-o', 'jsonl'];
    const ran = await watched(argv, [rollout(false), rollout(true), rollout(true), rollout(false), GONE, GONE]);
    // It was complete at first, so nothing tells when it ends: until the endpoint is gone.
    expect([ran.code, lines(ran).length]).toEqual([0, 4]);
    const second = await watched(argv, [rollout(true), rollout(true), rollout(false)]);
    expect([second.code, second.err, lines(second).length]).toEqual([0, '', 3]);
  });

  test('when what it watches is gone, and says so', async () => {
    const ran = await watched(['pods', 'get', 'pod1', '--watch', '-o', 'jsonl'], [pod('RUNNING'), GONE]);
    expect([ran.code, lines(ran).length]).toEqual([0, 1]);
    expect(ran.err).toContain('pod not found: the watch has ended');
  });

  test('but what was never there is not found (4)', async () => {
    const ran = await watched(['pods', 'get', 'pod1', '--watch'], [GONE, json({ pods: [] })]);
    expect(ran.code).toBe(4);
  });
});

describe('a watch in a pipe', () => {
  test('prints a JSON line for each poll, changed or not, with the time at first, numbers exact', async () => {
    const exact = (exchange: Parameters<Behaviour>[0]): void => {
      exchange.response.setHeader('content-type', 'application/json');
      exchange.response.end('{"id":"pod1","status":"RUNNING","cost":9007199254740993}');
    };
    const ran = await watched(['pods', 'get', 'pod1', '--watch', '-o', 'jsonl'], [exact, exact, pod('ERROR')]);
    expect(ran.out.split('\n')[0]).toMatch(
      /^\{"at":"20\d\d-[^"]+Z","id":"pod1","status":"RUNNING","cost":9007199254740993\}$/,
    );
    expect(lines(ran).map(({ status }) => status)).toEqual(['RUNNING', 'RUNNING', 'ERROR']);
  });

  test('prints a row a line for a list, and picks fields beside the time', async () => {
    const pods = json({
      pods: [
        { id: 'a', name: 'x' },
        { id: 'b', name: 'y' },
      ],
    });
    const ran = await watched(
      ['pods', 'list', '--watch', '-o', 'jsonl', '--fields', 'id'],
      [pods, pods, json({ title: 'Forbidden', status: 403, detail: 'no' }, 403)],
    );
    expect(ran.code).toBe(3);
    expect(lines(ran).map((line) => Object.keys(line).join())).toEqual(Array(4).fill('at,id'));
  });

  test('goes on after failed polls, says so once, and fails after ten in a row', async () => {
    const env = { BERTH_RETRIES: '0' };
    const argv = ['pods', 'get', 'pod1', '--watch', '-o', 'jsonl'];
    const recovered = await watched(argv, [pod('RUNNING'), DOWN, DOWN, pod('RUNNING'), pod('ERROR')], env);
    expect([recovered.code, lines(recovered).length]).toEqual([0, 3]);
    expect(recovered.err.trimEnd().split('\n')).toEqual([expect.stringMatching(/502.*the last values are .* old/)]);
    const failed = await watched(argv, [pod('RUNNING'), DOWN], env);
    expect([failed.code, failed.server.seen.length]).toEqual([7, 11]);
  });
});

/** Runs a watch on a terminal, presses keys once it shows a text, and returns what is then on the screen. */
async function onTerminal(argv: readonly string[], script: readonly Behaviour[], keys: readonly string[]) {
  const server = await serve(script);
  const world = createTestWorld({ tty: true, env: pointedAt(server.url), columns: 80, rows: 24 });
  const running = berthIn(world, argv);
  await expect.poll(() => world.out(), { interval: 5 }).toContain('q ends');
  await world.type(...keys);
  const ran = await running;
  return { ...ran, screen: new Terminal(80, 24).write(ran.out), server };
}

const runtime = (util: number) => ({
  runtime: { uptime: 60, gpus: [{ util, memoryUtil: 50 }], cpu: { util: 10 }, memory: { util: 20 }, ports: [] },
});

describe('a watch on a terminal', () => {
  test('q ends it (0), leaves the last values without its own line, and restores the terminal', async () => {
    const ran = await onTerminal(['pods', 'get', 'pod1', '--watch'], [pod('RUNNING', runtime(40))], [KEYS.enter, 'q']);
    expect([ran.code, ran.err]).toEqual([0, '']);
    expect(ran.screen.cursor).toBe(true);
    expect(ran.screen.text()).toContain('RUNNING');
    expect(ran.screen.text()).not.toContain('q ends');
    expect(ran.world.suspendHooks.size).toBe(0);
  });

  test('Ctrl-C ends it 130 without a message', async () => {
    const ran = await onTerminal(['health', 'ep1', '--watch'], [json({ jobs: { inQueue: 1 } })], [KEYS.ctrlC]);
    expect([ran.code, ran.err, ran.world.raised]).toEqual([130, '', ['SIGINT']]);
    expect(ran.screen.cursor).toBe(true);
  });
});

describe('the pace', () => {
  const window = (remaining: number, resetSeconds: number) => ({
    name: 'minute',
    remaining,
    resetSeconds,
    quota: 1000,
    windowSeconds: 60,
    seenAt: 0,
  });

  test.each([
    ['plenty', [window(1000, 60)], 5, 2000, 2000],
    ['half of 20 requests for a minute', [window(20, 60)], 1, 2000, 6000],
    ['the tightest window', [window(1000, 60), window(20, 60)], 2, 2000, 12_000],
    ['nothing left for hours', [window(1, 9000)], 1, 2000, 60_000],
    ['an interval of zero is no hot loop', [], 1, 0, 100],
  ] as const)('%s', async (_, windows, requests, wanted, expected) => {
    const ctx = { limits: { read: () => Promise.resolve(windows) }, signal: new AbortController().signal };
    expect(await pauseOf(ctx, wanted, requests)).toBe(expected);
  });
});

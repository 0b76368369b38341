import fc from 'fast-check';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { createLocalService } from '../../../../src/local/service.ts';
import { LOCAL_KEY } from '../../../../src/local/auth.ts';
import { serveLocal } from '../../../../src/local/server.ts';
import { memoryStore } from '../../../../src/local/store.ts';
import { berth, berthIn } from '../../../support/cli.ts';
import { createTestClock } from '../../../support/clock.ts';
import { createTestWorld, type TestWorld } from '../../../support/world.ts';
import {
  createPatienceClock,
  expectSound,
  listen,
  pointedAt,
  serve,
  text,
  works,
  type Behaviour,
} from '../../../faults/support.ts';

const EVENTS = { 'content-type': 'text/event-stream' };

interface Line {
  readonly id: string | undefined;
  readonly data: string;
}

const line = (number: number, id: string | undefined = `c${String(number)}`): Line => ({
  id,
  data: JSON.stringify({
    ts: `2026-01-01T00:00:00.${String(number).padStart(3, '0')}Z`,
    source: 'container',
    line: `line ${String(number)}`,
  }),
});
const lines = (count: number): readonly Line[] => Array.from({ length: count }, (_, at) => line(at + 1));
const written = (all: readonly Line[]): string =>
  all.map(({ id, data }) => `${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`).join('');

/** What one connection does: sends so many lines, some of them again, and ends somehow. */
interface Connection {
  readonly sends: number;
  /** Lines before the cursor that are sent again. */
  readonly again?: number;
  readonly ends: 'reset' | 'end' | 'cut' | 'hold' | 'unavailable';
}

interface LogServer {
  readonly url: string;
  readonly seen: readonly { readonly url: string; readonly after: string | undefined }[];
}

/**
 * A service with one pod that logs, each connection as scripted, and after the script everything that is left, whereupon
 * the pod is EXITED. It goes on after Last-Event-ID, wherever that is.
 */
async function logServer(log: readonly Line[], script: readonly Connection[]): Promise<LogServer> {
  const seen: { url: string; after: string | undefined }[] = [];
  let over = false;
  let opened = 0;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = request.url ?? '';
    if (!url.includes('/logs')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: 'p1', status: over ? 'EXITED' : 'RUNNING' }));
      return;
    }
    const after = request.headers['last-event-id'] as string | undefined;
    seen.push({ url, after });
    const { sends, again = 0, ends } = script[opened++] ?? { sends: log.length, ends: 'end' };
    if (ends === 'unavailable') {
      response.writeHead(503).end();
      return;
    }
    const at = after === undefined ? 0 : log.findIndex(({ id }) => id === after) + 1;
    const to = Math.min(log.length, at + sends);
    over ||= opened > script.length && to === log.length;
    response.writeHead(200, EVENTS);
    const body = written(log.slice(Math.max(0, at - again), to));
    switch (ends) {
      case 'end':
        response.end(body);
        return;
      case 'hold':
        response.write(body === '' ? ': hello\n\n' : body);
        return;
      case 'cut':
        response.write(`${body}id: cut\ndata: {"line":"never whole"`, () => response.destroy());
        return;
      case 'reset':
        response.write(body === '' ? ': hello\n\n' : body, () => request.socket.resetAndDestroy());
    }
  };
  const server = createServer(answer);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${String(await listen(server))}`, seen };
}

const follow = ['pods', 'logs', 'p1', '--follow'];
const numbers = (out: string): readonly string[] => out.match(/line \d+/g) ?? [];
const expected = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `line ${String(at + 1)}`);

/** Waits for the run to have come so far. */
const until = async (reached: () => boolean): Promise<void> => {
  while (!reached()) await new Promise(setImmediate);
};

describe('pods logs --follow', () => {
  it('prints each line once, across connections that break, end, repeat themselves and are refused', async () => {
    const script: Connection[] = [
      { sends: 3, ends: 'reset' },
      { sends: 0, ends: 'reset' },
      { sends: 4, again: 3, ends: 'end' },
      { sends: 0, ends: 'unavailable' },
      { sends: 2, again: 99, ends: 'cut' },
      { sends: 1, ends: 'end' },
    ];
    const server = await logServer(lines(20), script);
    const { code, out, err } = await berth(follow, { env: pointedAt(server.url) });
    expect([code, err]).toEqual([0, '']);
    expect(numbers(out)).toEqual(expected(20));
    expect(out).toMatch(/^2026-01-01T00:00:00\.001Z container line 1\n/);
    expect(out).not.toContain('never whole');
    expect([server.seen[0]?.after, server.seen.at(-1)?.after]).toEqual([undefined, 'c20']);
  });

  it('loses none and repeats none, whatever the connections do', async () => {
    const connection = fc.record<Connection>({
      sends: fc.nat(4),
      again: fc.nat(6),
      ends: fc.constantFrom('reset', 'end', 'cut', 'unavailable'),
    });
    await fc.assert(
      fc.asyncProperty(fc.nat(15), fc.array(connection, { maxLength: 8 }), async (count, script) => {
        const server = await logServer(lines(count), script);
        // A first connection that is refused for good is a failure, and another test's.
        const { code, out } = await berth(follow, { env: { ...pointedAt(server.url), BERTH_RETRIES: '9' } });
        expect(code).toBe(0);
        expect(numbers(out)).toEqual(expected(count));
      }),
      { numRuns: 40 },
    );
  });

  it('hears lines without ids once too, alike as they may be', async () => {
    const log = ['a', 'a', 'b', 'a'].map((word) => ({ id: undefined, data: JSON.stringify({ line: word }) }));
    const server = await logServer(log, [
      { sends: 2, ends: 'end' },
      { sends: 3, ends: 'reset' },
    ]);
    const { code, out } = await berth([...follow, '--fields', 'line', '-o', 'id'], { env: pointedAt(server.url) });
    expect([code, out]).toEqual([0, 'a\na\nb\na\n']);
  });

  it('loses nothing that is written between two connections of --tail 0', async () => {
    const server = await logServer(lines(2), [{ sends: 0, ends: 'reset' }]);
    const { code, out } = await berth([...follow, '--tail', '0'], { env: pointedAt(server.url) });
    expect([code, numbers(out)]).toEqual([0, expected(2)]);
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/v2/pods/p1/logs?tail=0',
      '/v2/pods/p1/logs?since=2026-01-01T00%3A00%3A00.000Z',
      '/v2/pods/p1/logs',
    ]);
  });

  it('says on a terminal that it goes on, with pauses that grow', async () => {
    const server = await logServer(
      lines(1),
      [1, 0, 0].map((sends) => ({ sends, ends: 'reset' as const })),
    );
    const { err, world } = await berth(follow, { env: pointedAt(server.url), tty: { stderr: true } });
    expect(err.match(/going on after the last line/g)).toHaveLength(3);
    const [first = 0, second = 0, third = 0] = world.clock.slept;
    expect([first > 0, second > first, third > second]).toEqual([true, true, true]);
  });

  it('gives up after ten breaks without a line, with the command that goes on', async () => {
    const server = await logServer(lines(9), [
      { sends: 1, ends: 'reset' },
      ...Array<Connection>(30).fill({ sends: 0, ends: 'reset' }),
    ]);
    const { code, out, err } = await berth(follow, { env: pointedAt(server.url) });
    expect(code).toBe(7);
    expect(numbers(out)).toEqual(expected(1));
    expect(err).toMatch(/broke 10 times in a row/);
    expect(err).toContain('Go on with: berth pods logs p1 --follow --after c1');
    expect(server.seen).toHaveLength(10);
  });

  test.each([
    ['refused', 503, 7],
    ['not found', 404, 4],
    ['forbidden', 403, 3],
  ])('ends at once where the first connection is %s', async (_, status, code) => {
    const server = await serve([text('', status)]);
    const ran = await berth(follow, { env: { ...pointedAt(server.url), BERTH_RETRIES: '0' } });
    expectSound(ran);
    expect(ran.code).toBe(code);
  });

  it('ends well where the pod is gone after it was followed', async () => {
    const gone: Behaviour = text(JSON.stringify({ title: 'Not Found', status: 404, detail: 'pod not found' }), 404);
    const { out } = await works(follow, [text(written(lines(2)), 200, EVENTS), gone]);
    expect(numbers(out)).toEqual(expected(2));
  });

  test.each([
    ['as lines', [], /line 2\n$/],
    ['as one array', ['--json'], /\n\]\n$/],
  ])('ends 130 with Ctrl-C and says how to go on, %s', async (_, flags, end) => {
    const server = await logServer(lines(2), [{ sends: 2, ends: 'hold' }]);
    const world = createTestWorld({ env: pointedAt(server.url) });
    const running = berthIn(world, [...follow, ...flags]);
    await until(() => world.out().includes('line 2'));
    world.signal('SIGINT');
    const ran = await running;
    expect(ran.code).toBe(130);
    expect(ran.out).toMatch(end);
    expect(ran.err).toContain('berth pods logs p1 --follow --after c2');
  });

  it('goes on after a cursor', async () => {
    const server = await logServer(lines(5), []);
    const { out } = await berth([...follow, '--after', 'c3'], { env: pointedAt(server.url) });
    expect(numbers(out)).toEqual(['line 4', 'line 5']);
  });
});

describe('pods logs', () => {
  it('ends where the tail is complete, with the stream still open', async () => {
    const server = await logServer(lines(3), [{ sends: 3, ends: 'hold' }]);
    const { code, out } = await berth(['pods', 'logs', 'p1', '--tail', '3'], { env: pointedAt(server.url) });
    expect([code, numbers(out)]).toEqual([0, expected(3)]);
    expect(server.seen).toMatchObject([{ url: '/v2/pods/p1/logs?tail=3' }]);
  });

  it('ends where nothing comes any more', async () => {
    const clock = createPatienceClock();
    const server = await logServer(lines(3), [{ sends: 3, ends: 'hold' }]);
    const world = createTestWorld({ clock, env: pointedAt(server.url) });
    const running = berthIn(world, ['pods', 'logs', 'p1']);
    await until(() => world.out().includes('line 3'));
    clock.expire();
    expect(await running).toMatchObject({ code: 0, err: '' });
  });

  it.each([
    [['--since', '10m'], '?since=2025-12-31T23%3A50%3A00Z'],
    [['--since', '2026-01-01T12:00:00+02:00'], '?since=2026-01-01T12%3A00%3A00%2B02%3A00'],
    [['--since', '2026-01-01', '--source', 'system'], '?source=system&since=2026-01-01T00%3A00%3A00Z'],
    [['--since', '2026-01-01T00:00:00.123456789Z'], '?since=2026-01-01T00%3A00%3A00.123456789Z'],
  ])('asks with %j', async (flags, query) => {
    const server = await logServer([], []);
    await berth(['pods', 'logs', 'p1', ...flags], { env: pointedAt(server.url) });
    expect(server.seen).toMatchObject([{ url: `/v2/pods/p1/logs${query}` }]);
  });

  it.each([
    [['--tail', '5001'], /--tail is at most 5000/],
    [['--since', 'yesterday'], /--since is not a time/],
    [['--since', '2026-13-45'], /--since is not on the calendar/],
    [['--since', '2026-01-01T10:00:00'], /--since names no time zone/],
    [['--since', '90'], /--since is not a time/],
    [['--tail', '5', '--since', '1h'], /--tail and --since exclude each other/],
    [['--source', 'kernel'], /--source is one of container, system/],
  ])('refuses %j', async (flags, says) => {
    const { code, err } = await berth(['--local', 'pods', 'logs', 'pod-train', ...flags]);
    expect(code).toBe(2);
    expect(err).toMatch(says);
  });

  it('prints lines as they came as JSON, and what is no JSON as a line', async () => {
    const odd = `id: 1\ndata: {"ts":"t","source":"s","line":"a\\u001b[2J","n":9007199254740993}\n\ndata: plain\n\ndata: [1]\n\n`;
    const { out } = await works(['pods', 'logs', 'p1', '-o', 'jsonl'], [text(odd, 200, EVENTS)]);
    expect(out).toBe(
      '{"ts":"t","source":"s","line":"a\\u001b[2J","n":9007199254740993}\n{"line":"plain"}\n{"line":"[1]"}\n',
    );
  });

  it('is made harmless for people', async () => {
    const evil = JSON.stringify({ ts: 'a\u001b]0;x\u0007', source: '\u202e', line: 'b\r\n\u001b[2Jc\r\n' });
    const { out } = await works(['pods', 'logs', 'p1'], [text(`data: ${evil}\n\n`, 200, EVENTS)], { tty: true });
    expect(out).toBe('a\\x1b]0;x\\x07 \\u202e    b\\r\\n\\x1b[2Jc\n');
  });

  it('takes a name, at the cost of looking it up', async () => {
    const ran = await berth(['--local', 'pods', 'logs', 'train-llm', '--tail', '2']);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.out.trim().split('\n')).toHaveLength(2);
  });
});

describe('on the local service', () => {
  it('follows a pod across a restart of the service: no line lost, none twice', async () => {
    const options = { clock: createTestClock(), random: () => 0.5, store: memoryStore(), queueLimits: false };
    const start = async (port: number) => {
      const service = createLocalService(options);
      const served = await serveLocal(service, { port, host: '127.0.0.1' });
      return { ...served, stop: () => served.stop().then(() => service.stop()) };
    };
    let server = await start(0);
    onTestFinished(() => server.stop());
    const port = Number(new URL(server.url).port);
    let comesBack = Promise.resolve();
    const clock = createTestClock();
    const world: TestWorld = createTestWorld({
      // Nobody is patient for less than the service is away.
      clock: { ...clock, sleep: (ms, signal) => comesBack.then(() => clock.sleep(ms, signal)) },
      env: { ...pointedAt(server.url), BERTH_API_KEY: LOCAL_KEY },
    });
    const steps = (): readonly number[] => [...world.out().matchAll(/step (\d+)/g)].map(([, step]) => Number(step));
    const running = berthIn(world, ['pods', 'logs', 'pod-train', '--follow', '--tail', '3']);
    for (let restarts = 0; restarts < 3; restarts++) {
      const before = steps().length;
      await until(() => steps().length > before + 3);
      let isBack: () => void = () => undefined;
      comesBack = new Promise((resolve) => (isBack = resolve));
      await server.stop();
      server = await start(port);
      isBack();
    }
    const before = steps().length;
    await until(() => steps().length > before + 3);
    world.signal('SIGINT');
    expect((await running).code).toBe(130);
    const [first = 0] = steps();
    expect(steps()).toEqual(steps().map((_, at) => first + at));
  });

  it('lets go of a follower in this process with Ctrl-C', async () => {
    const world = createTestWorld();
    const running = berthIn(world, ['--local', 'pods', 'logs', 'pod-train', '-f', '--tail', '2']);
    await until(() => world.out().split('\n').length > 4);
    world.signal('SIGINT');
    expect((await running).code).toBe(130);
  });
});

import { describe, expect, test } from 'vitest';
import { createContext } from '../../src/host/context.ts';
import { createTestClock } from '../support/clocks/test-clock.ts';
import { createTestWorld } from '../support/worlds/test-world.ts';
import { someReads, someWrites, onWrite } from '../support/worlds/read-write-commands.ts';
import { fails, works } from '../support/worlds/expect-run.ts';
import { json, pointedAt, problem, serve, type Behaviour } from '../support/servers/scripted-server.ts';

// Rows 9, 10 and 11 of docs/faults.md: rate limits that the service reports.

const NOW = Date.UTC(2026, 0, 1);
const at = (secondsAhead: number): string => new Date(NOW + secondsAhead * 1000).toUTCString();
const EXCEEDED = 'rate limit exceeded for the minute window';
const limited = (retryAfter: string | undefined): Behaviour =>
  problem(429, EXCEEDED, { date: at(0), ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) });

describe('a Retry-After that can be used is obeyed', () => {
  test.each([
    ['seconds', '7', 7000],
    ['a date', at(12), 12_000],
    ['nothing at all, and still no hot loop', '0', 100],
  ])('%s: %s', async (_, value, waitedMs) => {
    const { out, world } = await works(['pods', 'get', 'pod1', '--json'], [limited(value), json('{"id":"pod1"}')]);
    expect(JSON.parse(out)).toEqual({ id: 'pod1' });
    expect(world.clock.slept).toEqual([waitedMs]);
  });

  test('by writes too, and the write is done once', async () => {
    const { out, world, server } = await works(
      ['jobs', 'run', 'ep1', '--input', '{"n":1}'],
      [limited('3'), json({ id: 'job1', status: 'IN_QUEUE' })],
    );
    expect(out).toBe('job1\n');
    expect(world.clock.slept).toEqual([3000]);
    expect(server.seen.map(({ body }) => body.toString())).toEqual(['{"input":{"n":1}}', '{"input":{"n":1}}']);
  });
});

describe('a Retry-After that cannot be used is ignored: the backoff applies, bounded', () => {
  test.each([
    ['missing', undefined],
    ['past', at(-60)],
    ['now', at(0)],
    ['negative', '-5'],
    ['with an exponent', '1e9'],
    ['hexadecimal', '0x10'],
    ['a fraction', '1.5'],
    ['two of them', '5, 6'],
    ['a date that no calendar has', 'Thu, 30 Feb 2026 00:00:00 GMT'],
    ['a date in another form', '2026-01-01T00:01:00Z'],
    ['words', 'soon'],
    ['empty', ''],
  ])('%s: %s', async (_, value) => {
    const { runs, servers, error } = await fails(
      ['pods', 'get', 'pod1'],
      { exit: 6, says: ['429', EXCEEDED, 'tried 4 times', /Try again later|berth limits/] },
      [limited(value)],
    );
    expect(servers[0].seen).toHaveLength(4);
    const { slept } = runs[0].world.clock;
    expect(Math.min(...slept)).toBeGreaterThanOrEqual(100);
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(10_000);
    expect(error.retryAfter).toBeUndefined();
  });
});

describe('a Retry-After beyond the longest wait: stop at once and name the time', () => {
  test.each([
    ['2147484', 2_147_484, /24d20h/],
    ['1000000000', 1_000_000_000, /11574d/],
    [at(7200), 7200, /2h/],
    ['86400', 86_400, /1d/],
  ])('%s', async (value, seconds, words) => {
    for (const argv of [
      ['pods', 'get', 'pod1'],
      ['queue', 'purge', 'ep1', '--yes'],
    ]) {
      const { error, servers, runs } = await fails(argv, { exit: 6, says: [EXCEEDED, words] }, [limited(value)]);
      expect(error.retryAfter).toBe(seconds);
      expect(servers[0].seen).toHaveLength(1);
      expect(runs[0].world.clock.slept).toEqual([]);
    }
  });

  test('longer than any number: 6 without waiting', async () => {
    const { runs } = await fails(['pods', 'get', 'pod1'], { exit: 6, says: [EXCEEDED] }, [limited('9'.repeat(400))]);
    expect(runs[0].world.clock.slept).toEqual([]);
  });

  test('several waits that are each short enough and together too long', async () => {
    const { servers, runs } = await fails(
      ['--retries', '100', 'pods', 'get', 'pod1'],
      { exit: 6, says: [EXCEEDED, 'Try again in 50s'] },
      [limited('50')],
    );
    expect(servers[0].seen).toHaveLength(3);
    expect(runs[0].world.clock.slept).toEqual([50_000, 50_000]);
  });
});

test.each([
  ...someReads.map(([name, { argv }]) => [name, argv, limited('1')] as const),
  ...someWrites.map(([name, { argv }]) => [name, argv, onWrite(limited('1'))] as const),
])('%s ends 6 after four tries, with what the service said', async (_, argv, behaviour) => {
  const { error } = await fails(argv, { exit: 6, says: ['429', EXCEEDED, 'tried 4 times', 'berth limits'] }, [
    behaviour,
  ]);
  expect(error).toMatchObject({ code: 'rate-limited', status: 429, retryAfter: 1 });
});

test('a 429 of the queue API is recognized without a body or with a line of text', async () => {
  for (const body of ['', 'slow down', '{"error":"slow down"}']) {
    const { error } = await fails(['jobs', 'status', 'ep1', 'job1'], { exit: 6, says: ['429'] }, [json(body, 429)]);
    if (body !== '') expect(error.message).toContain('slow down');
  }
});

describe('limits', () => {
  const LEFT = '"minute";r=59;t=12, "hour";r=2800;t=1812, "day";r=49500;t=45012';
  const POLICY = '"minute";q=60;w=60, "hour";q=3000;w=3600, "day";q=50000;w=86400';

  /** The output of `berth limits --json` where an answer has these headers. */
  async function limitsOf(answer: Behaviour): Promise<readonly Record<string, unknown>[]> {
    const { out, server } = await works(['limits', '--json'], [answer]);
    expect(server.seen).toHaveLength(1);
    return JSON.parse(out) as Record<string, unknown>[];
  }
  const limitsAfter = (headers: Readonly<Record<string, string>>) => limitsOf(json('{}', 200, headers));

  test.each([
    ['an answer', json('{}', 200, { ratelimit: LEFT, 'ratelimit-policy': POLICY })],
    ['a 429, which is not waited out', problem(429, EXCEEDED, { ratelimit: LEFT, 'ratelimit-policy': POLICY })],
  ])('are those of %s', async (_, answer) => {
    const windows = await limitsOf(answer);
    expect(windows.map(({ window, remaining, quota }) => [window, remaining, quota])).toEqual([
      ['minute', 59, 60],
      ['hour', 2800, 3000],
      ['day', 49_500, 50_000],
    ]);
  });

  test('are asked for again where the answer is lost', async () => {
    const { out } = await works(['limits', '--json'], [problem(503, 'down'), json('{}', 200, { ratelimit: LEFT })]);
    expect(JSON.parse(out)).toHaveLength(3);
  });

  test.each([
    ['parameters that nobody knows', '"minute";r=59;t=12;burst=3;pk=:YQ==:', POLICY, 'minute', 59],
    ['another window', '"fortnight";r=3;t=100', '"fortnight";q=9;w=1209600', 'fortnight', 3],
    ['a window without quotes', 'minute;r=59;t=12', POLICY, 'minute', 59],
    ['a policy that is broken', LEFT, '"minute";;;', 'minute', 59],
  ])('with %s', async (_, left, policy, name, remaining) => {
    const windows = await limitsAfter({ ratelimit: left, 'ratelimit-policy': policy });
    expect(windows.find(({ window }) => window === name)).toMatchObject({ window: name, remaining });
  });

  test.each([
    ['half a string', '"minute;r=59', '"minute'],
    ['numbers that are none', '"minute";r=+5', '"minute";q=1e400'],
    ['nothing', '', ''],
    ['something else', '<html>', '{"minute":60}'],
  ])('that are malformed (%s) are ignored', async (_, left, policy) => {
    expect(await limitsAfter({ ratelimit: left, 'ratelimit-policy': policy })).toEqual([]);
  });

  test.each(['"minute";r=-1;t=-5', '"minute";r="59";t=?1', '"minute"'])(
    'whose numbers make no sense (%s) have none',
    async (left) => {
      const [window, ...others] = await limitsAfter({ ratelimit: left });
      expect(others).toEqual([]);
      expect(window).toMatchObject({ window: 'minute' });
      expect(window?.['remaining'] ?? null).toBeNull();
    },
  );
});

describe('a storm of 429 with 50 requests in flight', () => {
  const COUNT = 50;

  test('that ends: all requests wait, are then spread over time, and all succeed', async () => {
    let refused = 0;
    const storm: Behaviour = (exchange) => {
      if (++refused <= COUNT) limited('2')(exchange);
      else json({ id: 'pod1' })(exchange);
    };
    const server = await serve([storm]);
    const clock = createTestClock(NOW);
    const context = createContext(createTestWorld({ env: pointedAt(server.url), clock }), {});
    const get = { service: 'base', method: 'GET', path: ['v2', 'pods', 'pod1'] } as const;
    const answers = await Promise.all(
      Array.from({ length: COUNT }, () => context.openApi().then((api) => api.send(get))),
    );
    await context.close();
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: COUNT }, () => 200));
    // Each request was sent twice: none was sent during the time in Retry-After.
    expect(server.seen).toHaveLength(2 * COUNT);
    expect(clock.now() - NOW).toBeGreaterThanOrEqual(2000);
    // The requests are spread over time, and the total time is bounded.
    const spread = new Set(clock.slept).size;
    expect(spread).toBeGreaterThan(COUNT / 2);
    expect(clock.now() - NOW).toBeLessThan(60_000);
  });

  test('that never ends makes every request fail after bounded time and requests', async () => {
    const server = await serve([limited('2')]);
    const clock = createTestClock(NOW);
    const context = createContext(createTestWorld({ env: pointedAt(server.url), clock }), {});
    const get = { service: 'base', method: 'GET', path: ['v2', 'pods', 'pod1'] } as const;
    const ends = await Promise.allSettled(
      Array.from({ length: COUNT }, () => context.openApi().then((api) => api.send(get))),
    );
    await context.close();
    expect(ends.every((end) => end.status === 'rejected' && (end.reason as { exit?: number }).exit === 6)).toBe(true);
    expect(server.seen.length).toBeLessThanOrEqual(4 * COUNT);
    expect(clock.now() - NOW).toBeLessThan(10 * 60_000);
  });
});

describe('408: the request was not processed', () => {
  const submitted = json({ id: 'job1', status: 'IN_QUEUE' });

  test.each([408])('%i to a submission is tried again', async (status) => {
    const { out, server } = await works(['jobs', 'run', 'ep', '--input', '{}'], [problem(status, 'again'), submitted]);
    expect(out).toBe('job1\n');
    expect(server.seen).toHaveLength(2);
  });

  test.each([408])('%i every time: 7, nothing changed', async (status) => {
    const says = [String(status), 'tried 4 times', 'Nothing changed'];
    const { servers } = await fails(['jobs', 'run', 'ep', '--input', '{}'], { exit: 7, says }, [problem(status, 'no')]);
    expect(servers[0].seen).toHaveLength(4);
  });
});

import { describe, expect, it } from 'vitest';
import { createThrottle } from '../../../../src/http/throttle.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { hintOf } from '../../../support/text/hint-of.ts';
import {
  connect,
  failureOf,
  freePort,
  json,
  onRequest,
  read,
  serve,
  serveTcp,
  write,
} from '../../../support/servers/http-server.ts';

const START = Date.UTC(2026, 0, 1);

describe('429', () => {
  it.each([read, write])('is retried after the time in Retry-After ($method)', async (request) => {
    const server = await serve((response, _, count) => {
      if (count < 3) json(response, {}, 429, { 'retry-after': String(count * 7) });
      else json(response, { ok: true });
    });
    const { api, clock } = connect(server.url);
    expect((await api.send(request)).value).toEqual({ ok: true });
    expect(clock.now() - START).toBe(21_000);
  });

  it('obeys a date too', async () => {
    const server = await serve((response, _, count) => {
      if (count === 1)
        json(response, {}, 429, {
          'retry-after': new Date(START + 9000).toUTCString(),
          date: new Date(START).toUTCString(),
        });
      else json(response, {});
    });
    const { api, clock } = connect(server.url);
    await api.send(read);
    expect(clock.now() - START).toBe(9000);
  });

  it.each(['2147484', '99999999999999999999', new Date(START + 3_600_000).toUTCString()])(
    'stops at once where Retry-After (%s) is beyond the bound, and says the wait',
    async (retryAfter) => {
      const server = await serve((response) => {
        json(
          response,
          { title: 'Too Many Requests', status: 429, detail: 'rate limit exceeded for the day window' },
          429,
          { 'retry-after': retryAfter, date: new Date(START).toUTCString() },
        );
      });
      const { api, clock } = connect(server.url);
      const failure = await failureOf(api.send(write));
      expect(failure).toMatchObject({ exit: 6, code: 'rate-limited', status: 429 });
      expect(failure.retryAfter).toBeGreaterThan(3599);
      expect(hintOf(failure)).toMatch(/Try again in \d+[hd]/);
      expect(clock.slept).toEqual([]);
      expect(server.seen).toHaveLength(1);
    },
  );

  it.each([undefined, '-5', '1e9', 'soon', new Date(START - 5000).toUTCString(), '0'])(
    'with Retry-After %s: own backoff, never a hot loop, bounded in all',
    async (retryAfter) => {
      const server = await serve((response) => {
        json(response, {}, 429, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
      });
      const { api, clock } = connect(server.url);
      expect(await failureOf(api.send(read))).toMatchObject({ exit: 6 });
      expect(server.seen).toHaveLength(4);
      expect(clock.slept).toHaveLength(3);
      for (const slept of clock.slept) expect(slept).toBeGreaterThanOrEqual(100);
      expect(clock.now() - START).toBeLessThan(5000);
    },
  );

  it('is final with zero retries', async () => {
    const server = await serve((response) => {
      json(response, {}, 429, { 'retry-after': '1' });
    });
    const failure = await failureOf(connect(server.url, { retries: 0 }).api.send(read));
    expect(failure).toMatchObject({ exit: 6, retryAfter: 1 });
    expect(server.seen).toHaveLength(1);
  });

  it('a burst of 429s for 50 requests in flight: one throttle for all, and every request succeeds', async () => {
    // Ten requests a second, whoever asks.
    const world = { times: [] as number[] };
    const server = await serve((response) => {
      const now = clock.now();
      if (world.times.filter((time) => time > now - 1000).length >= 10) json(response, {}, 429, { 'retry-after': '1' });
      else {
        world.times.push(now);
        json(response, {});
      }
    });
    const { api, clock } = connect(server.url);
    const answers = await Promise.all(Array.from({ length: 50 }, () => api.send(write)));
    expect(answers).toHaveLength(50);
    expect(server.seen.length).toBeLessThan(50 * 3);
    expect(clock.now() - START).toBeLessThan(60_000);
  });

  it('a storm that never ends makes every request fail after bounded requests and time', async () => {
    const server = await serve((response) => {
      json(response, {}, 429, { 'retry-after': '5' });
    });
    const { api, clock } = connect(server.url);
    const failures = await Promise.all(Array.from({ length: 50 }, () => failureOf(api.send(read))));
    expect(new Set(failures.map(({ exit }) => exit))).toEqual(new Set([6]));
    expect(server.seen.length).toBeLessThanOrEqual(200);
    expect(clock.now() - START).toBeLessThan(300_000);
  });
});

describe('the throttle', () => {
  it('stands in nobody’s way until the service says 429', async () => {
    const clock = createTestClock();
    const throttle = createThrottle(clock, () => 0.5);
    const { signal } = new AbortController();
    for (let count = 0; count < 100; count++) expect(await throttle.acquire(0, signal)).toBe(0);
    expect(clock.slept).toEqual([]);
  });

  it('holds all requests, then releases them one by one; the 429 answers of one storm count once', async () => {
    const clock = createTestClock();
    const throttle = createThrottle(clock, () => 0.5);
    const { signal } = new AbortController();
    const begun = clock.monotonic();
    for (let count = 0; count < 50; count++) throttle.pause(1000, begun);
    const waits = await Promise.all(Array.from({ length: 4 }, () => throttle.acquire(60_000, signal)));
    expect(waits).toEqual([1000, 1050, 1100, 1150]);
    throttle.pause(1000, clock.monotonic());
    expect(await throttle.acquire(60_000, signal)).toBe(1000);
    expect(await throttle.acquire(60_000, signal)).toBe(100);
  });

  it('sends a request every two seconds at least, after however many bursts', async () => {
    const clock = createTestClock();
    const throttle = createThrottle(clock, () => 0.5);
    const { signal } = new AbortController();
    for (let burst = 0; burst < 20; burst++) {
      clock.advance(1);
      throttle.pause(0, clock.monotonic());
    }
    await throttle.acquire(60_000, signal);
    expect(await throttle.acquire(60_000, signal)).toBe(2000);
  });

  it('refuses at once when the wait would be longer than allowed', async () => {
    const clock = createTestClock();
    const throttle = createThrottle(clock, () => 0.5);
    throttle.pause(10_000, clock.monotonic());
    expect(await throttle.acquire(9999, new AbortController().signal)).toBeUndefined();
    expect(clock.slept).toEqual([]);
  });

  it('speeds up again after successes', async () => {
    const clock = createTestClock();
    const throttle = createThrottle(clock, () => 0.5);
    const { signal } = new AbortController();
    throttle.pause(1000, clock.monotonic());
    clock.advance(2000);
    for (let count = 0; count < 30; count++) throttle.recordSuccess();
    await throttle.acquire(0, signal);
    expect(await throttle.acquire(0, signal)).toBe(0);
  });

  it('ends the wait when the signal aborts', async () => {
    const clock = createTestClock();
    const throttle = createThrottle(clock, () => 0.5);
    throttle.pause(1000, clock.monotonic());
    const controller = new AbortController();
    const waiting = throttle.acquire(5000, controller.signal);
    controller.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
  });
});

describe('a DELETE that finds nothing', () => {
  const remove = { ...read, method: 'DELETE' } as const;

  it('ends 4 if an earlier try was answered 429', async () => {
    const server = await serve((response, _, count) => {
      json(response, {}, count === 1 ? 429 : 404);
    });
    expect(await failureOf(connect(server.url).api.send(remove))).toMatchObject({ exit: 4, code: 'not-found' });
    expect(server.seen).toHaveLength(2);
  });

  it('ends 4 if an earlier connection never opened', async () => {
    const port = await freePort();
    const { createServer } = await import('node:http');
    const server = createServer((_, response) => response.writeHead(404).end());
    const base = createTestClock();
    // The server starts while the client waits for its second try.
    const clock = {
      ...base,
      sleep: async (milliseconds: number) => {
        if (!server.listening) await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
        await base.sleep(milliseconds);
      },
    };
    const failure = await failureOf(connect(`http://127.0.0.1:${String(port)}`, { clock }).api.send(remove));
    server.close();
    expect(failure).toMatchObject({ exit: 4, code: 'not-found' });
  });

  it('ends 4 at the first try', async () => {
    const server = await serve((response) => {
      json(response, {}, 404);
    });
    expect(await failureOf(connect(server.url).api.send(remove))).toMatchObject({ exit: 4, code: 'not-found' });
  });

  it('ends 8 if its answer was lost, and is not sent again', async () => {
    let requests = 0;
    const server = await serveTcp((socket) => {
      onRequest(socket, () => {
        requests++;
        socket.destroy();
      });
    });
    expect(await failureOf(connect(server.url).api.send(remove))).toMatchObject({ exit: 8 });
    expect(requests).toBe(1);
  });
});

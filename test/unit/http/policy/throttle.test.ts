import { describe, expect, it } from 'vitest';
import { createThrottle } from '../../../../src/http/throttle.ts';
import { createTestClock } from '../../../support/clocks/test-clock.ts';
import { connect, failureOf, freePort, read } from '../../../support/servers/http-server.ts';

describe('the throttle', () => {
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

  it('refuses at once when the wait would be longer than allowed', async () => {
    const clock = createTestClock();
    const throttle = createThrottle(clock, () => 0.5);
    throttle.pause(10_000, clock.monotonic());
    expect(await throttle.acquire(9999, new AbortController().signal)).toBeUndefined();
    expect(clock.slept).toEqual([]);
  });
});

describe('a DELETE that finds nothing', () => {
  const remove = { ...read, method: 'DELETE' } as const;

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
});

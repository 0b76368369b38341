import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';

/** The trials are programs of their own in JavaScript: their parts are loaded by their paths. */
const load = async (name: string): Promise<unknown> =>
  import(pathToFileURL(join(import.meta.dirname, '../../store-trials', name)).href);

interface Line {
  readonly item: number;
  readonly status?: string;
  readonly output?: { readonly n: number };
}

describe('the account of a trial', async () => {
  const { checkItems } = (await load('accounts.mjs')) as {
    checkItems: (facts: {
      readonly items: number;
      readonly counts: Uint8Array;
      readonly results: readonly Line[];
      readonly unknown: readonly number[];
    }) => readonly string[];
  };
  const done = (item: number, n = item): Line => ({ item, status: 'COMPLETED', output: { n } });
  const account = (counts: readonly number[], results: readonly Line[], unknown: readonly number[] = []) =>
    checkItems({ items: counts.length, counts: Uint8Array.from([0, ...counts]), results, unknown });

  test('holds when every item has one submission and one result, or is listed as unknown', () => {
    expect(account([1, 1, 1, 0], [done(1), done(2)], [3, 4])).toEqual([]);
  });

  test.each([
    { said: 'an item without a result', counts: [1, 1], results: [done(1)], wrong: ['lost: 1 items, such as 2'] },
    {
      said: 'an item that was never submitted',
      counts: [1, 0],
      results: [done(1), done(2)],
      wrong: ['lost: 1 items, such as 2'],
    },
    {
      said: 'an item that was submitted twice',
      counts: [2],
      results: [done(1)],
      wrong: ['sent twice: 1 items, such as 1'],
    },
    {
      said: 'an unknown item that was submitted twice',
      counts: [2],
      results: [],
      unknown: [1],
      wrong: ['sent twice: 1 items, such as 1'],
    },
    { said: 'two results of an item', counts: [1], results: [done(1), done(1)], wrong: ['item 1 has 2 results'] },
    {
      said: 'a result of an unknown item',
      counts: [1],
      results: [done(1)],
      unknown: [1],
      wrong: ['item 1 has a result and is listed as unknown'],
    },
    {
      said: 'the result of another item',
      counts: [1, 1],
      results: [done(1), done(2, 1)],
      wrong: ['the result of item 2 is that of item 1'],
    },
    {
      said: 'a result of an item that does not exist',
      counts: [1],
      results: [done(1), done(9)],
      wrong: ['a result of item 9, which does not exist'],
    },
  ])('does not hold for $said', ({ counts, results, unknown, wrong }) => {
    expect(account(counts, results, unknown)).toEqual(wrong);
  });
});

describe('the plan of a trial', async () => {
  interface Event {
    readonly kind: string;
    readonly at: number;
    readonly driver?: number;
    readonly forMs?: number;
  }
  const { drawPlan } = (await load('plan.mjs')) as {
    drawPlan: (options: { seed: number; drivers: number; counts: Record<string, number>; leaseMs: number }) => Event[];
  };
  const counts = { kill: 20, stop: 10, cut: 10, restart: 3, crash: 2 };
  const draw = (seed: number): Event[] => drawPlan({ seed, drivers: 4, counts, leaseMs: 1000 });

  test('is the same for the same seed, and another one for another seed', () => {
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  test('has the events that were asked for, in the order of their moments, each longer than a lease', () => {
    const plan = draw(7);
    for (const [kind, count] of Object.entries(counts))
      expect(plan.filter((event) => event.kind === kind)).toHaveLength(count);
    expect(plan.map(({ at }) => at)).toEqual(plan.map(({ at }) => at).toSorted((one, other) => one - other));
    for (const { kind, forMs } of plan) if (kind === 'stop' || kind === 'cut') expect(forMs).toBeGreaterThan(1000);
    expect(new Set(plan.map(({ driver }) => driver))).toEqual(new Set([0, 1, 2, 3, undefined]));
  });
});

describe('the proxy of a trial', async () => {
  interface Proxy {
    readonly port: number;
    cutAll(): void;
    refuse(): void;
    hold(): void;
    restore(): void;
    close(): void;
  }
  const { startTcpProxy } = (await load('tcp-proxy.mjs')) as { startTcpProxy: (port: number) => Promise<Proxy> };

  /** A server that answers with what it receives, and a proxy to it. */
  const start = async (): Promise<Proxy> => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.pipe(socket);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const proxy = await startTcpProxy((server.address() as AddressInfo).port);
    onTestFinished(() => {
      proxy.close();
      server.close();
    });
    return proxy;
  };
  const open = async ({ port }: Proxy): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => {
      socket.destroy();
    });
    await once(socket, 'connect');
    return socket;
  };
  const say = async (socket: Socket, text: string): Promise<string> => {
    socket.write(text);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString();
  };
  const isReset = async (socket: Socket): Promise<unknown> =>
    new Promise((resolve) => {
      socket.on('error', resolve);
      socket.write('x');
    });

  test('passes everything on', async () => {
    expect(await say(await open(await start()), 'one')).toBe('one');
  });

  test('cuts its connections, and accepts new ones', async () => {
    const proxy = await start();
    const socket = await open(proxy);
    await say(socket, 'one');
    const reset = isReset(socket);
    proxy.cutAll();
    expect(await reset).toMatchObject({ code: 'ECONNRESET' });
    expect(await say(await open(proxy), 'two')).toBe('two');
  });

  test('refuses new connections until it is restored', async () => {
    const proxy = await start();
    proxy.refuse();
    expect(await isReset(connect(proxy.port, '127.0.0.1'))).toMatchObject({ code: 'ECONNRESET' });
    proxy.restore();
    expect(await say(await open(proxy), 'two')).toBe('two');
  });

  test('holds everything back without a word, and resets what was held', async () => {
    const proxy = await start();
    const socket = await open(proxy);
    await say(socket, 'one');
    proxy.hold();
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    const reset = isReset(socket);
    // Another connection shows that the proxy has read what came before.
    (await open(proxy)).write('two');
    proxy.restore();
    expect(await reset).toMatchObject({ code: 'ECONNRESET' });
    expect(received).toBe('');
    expect(await say(await open(proxy), 'three')).toBe('three');
  });
});

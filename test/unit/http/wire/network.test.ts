import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { interrupted } from '../../../../src/core/failure.ts';
import { Ending } from '../../../../src/http/transport.ts';
import { createTransport } from '../../../../src/http/wire/client.ts';
import { hintOf } from '../../../support/text/hint-of.ts';
import { connect, failureOf, onRequest, read, serve, serveTcp, write } from '../../../support/servers/http-server.ts';

describe('a connection that never opens: 7, nothing was sent, and reads and writes are retried', () => {
  it('handshake that never ends: the connect timeout', async () => {
    const server = await serveTcp(() => undefined);
    const world = connect(`https://127.0.0.1:${String(server.port)}`, { retries: 0 }, { connectTimeoutMs: 20 });
    const failure = await failureOf(world.api.send(write));
    expect(failure).toMatchObject({ exit: 7 });
    expect(failure.message).toContain('no connection in time');
  });
});

describe('a connection that breaks after the request was sent', () => {
  it('after a reset, no other idle connection is used: the same cause may have broken them all', async () => {
    const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';
    const held: (() => void)[] = [];
    let resets = 0;
    const server = await serveTcp((socket) => {
      let requests = 0;
      onRequest(socket, () => {
        requests += 1;
        if (requests > 1) {
          resets += 1;
          socket.resetAndDestroy();
          return;
        }
        held.push(() => void socket.write(answer));
        // Four connections are open before the first answer.
        if (held.length >= 4) for (const send of held.splice(0, held.length)) send();
        if (resets > 0) for (const send of held.splice(0, 1)) send();
      });
    });
    const { api } = connect(server.url);
    await Promise.all([1, 2, 3, 4].map(() => api.send(read)));
    expect((await api.send(read)).status).toBe(200);
    expect(resets).toBe(1);
  });

  it('an idle connection that the server closed is not used', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const server = await serveTcp((socket) => {
      closed = once(socket, 'close');
      onRequest(socket, () => {
        // The answer has no `connection: close`, and the server closes a moment later.
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}', () => socket.end());
      });
    });
    const { api } = connect(server.url);
    await api.send(read);
    await closed;
    expect((await api.send(write)).status).toBe(200);
  });
});

describe('the interrupt', () => {
  const stopped = interrupted('SIGINT', 'Go on with: berth pods wait p1');

  it('ends an exchange at once, and the error of a write says that it was sent', async () => {
    const { api, interrupt } = await hanging();
    const failure = await failureOf(api.send(write));
    expect(interrupt.signal.aborted).toBe(true);
    expect(failure).toMatchObject({ exit: 130, code: 'interrupted' });
    expect(hintOf(failure)).toContain('Go on with');
    expect(hintOf(failure)).toContain('berth pods list');
  });

  it('that comes while the client is being loaded prevents that anything is sent', async () => {
    const server = await serve((response) => response.end('{}'));
    const transport = createTransport({ env: {} });
    onTestFinished(() => transport.close());
    const ending = new Ending();
    const sent = transport({ method: 'GET', url: server.url, headers: {}, body: undefined, ending });
    ending.end(stopped);
    await expect(sent).rejects.toMatchObject({ stage: 'not-sent', cause: stopped });
    expect(server.seen).toEqual([]);
  });

  it('ends a read with the interrupt itself', async () => {
    const { api } = await hanging();
    expect(await failureOf(api.send(read))).toBe(stopped);
  });

  async function hanging(): Promise<ReturnType<typeof connect>> {
    const server = await serve(() => {
      world.interrupt.abort(stopped);
    });
    const world = connect(server.url);
    return world;
  }
});

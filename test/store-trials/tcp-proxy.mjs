/** A TCP proxy on loopback that can cut its connections, refuse new ones, hold everything back and delay it. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * Starts a proxy to a port on loopback; `port` may be a function, for a server that gets another one. `silent` holds all bytes
 * back without closing anything, as a network does that loses every packet.
 */
export async function startTcpProxy(port) {
  const pairs = new Set();
  let refusing = false;
  let silent = false;
  let delayMs = 0;
  const held = [];

  const pipe = (from, to) => {
    from.on('data', (chunk) => {
      if (silent) held.push(() => to.write(chunk));
      else if (delayMs > 0) setTimeout(() => to.write(chunk), delayMs);
      else if (!to.write(chunk)) {
        from.pause();
        to.once('drain', () => from.resume());
      }
    });
  };
  const server = createServer((client) => {
    if (refusing) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(typeof port === 'function' ? port() : port, '127.0.0.1');
    const pair = { client, upstream };
    pairs.add(pair);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      one.setNoDelay(true);
      one.on('error', () => undefined);
      one.on('close', () => {
        pairs.delete(pair);
        if (!silent) other.destroy();
      });
    }
    pipe(client, upstream);
    pipe(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const cutAll = () => {
    for (const { client, upstream } of pairs) {
      client.resetAndDestroy();
      upstream.destroy();
    }
    pairs.clear();
  };
  return {
    port: server.address().port,
    /** Resets all connections; new ones are accepted. */
    cutAll,
    /** Resets all connections and refuses new ones until `restore`. */
    refuse: () => {
      refusing = true;
      cutAll();
    },
    /** Passes nothing on, in either direction, until `restore`. Connections stay open. */
    hold: () => (silent = true),
    /** Passes everything on after this time. */
    delay: (milliseconds) => (delayMs = milliseconds),
    /** Ends `refuse`, `hold` and `delay`. What was held is lost, with its connections: a network that is back has other ones. */
    restore: () => {
      if (silent) {
        held.length = 0;
        cutAll();
      }
      refusing = false;
      silent = false;
      delayMs = 0;
    },
    connections: () => pairs.size,
    close: () => {
      cutAll();
      server.close();
    },
  };
}

/** An HTTP proxy on loopback in front of an object store, which fails as networks and stores do. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';

/** What can happen to a request. `write` marks what is only for requests that change something. */
export const FAULTS = {
  'server error': { before: (response) => end(response, 503, '<Error><Code>SlowDown</Code></Error>') },
  'internal error': { before: (response) => end(response, 500, '<Error><Code>InternalError</Code></Error>') },
  reset: { before: (response) => response.socket.resetAndDestroy() },
  slow: { delayMs: 1500 },
  // The store has done what was asked, and nobody is told.
  'lost answer': { after: (response) => response.socket.resetAndDestroy() },
  'error after the write': { after: (response) => end(response, 500, '<Error><Code>InternalError</Code></Error>') },
};

const end = (response, status, body) => response.writeHead(status, { 'content-type': 'application/xml' }).end(body);

/** `draw()` returns the name of a fault for a request, or undefined. `onFault` is called with each fault and request. */
export async function startHttpFaults(target, draw, onFault) {
  const { hostname, port } = new URL(target);
  const server = createServer(async (incoming, response) => {
    const chunks = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      return;
    }
    const name = draw(incoming);
    const fault = FAULTS[name] ?? {};
    if (name !== undefined) onFault(name, incoming);
    if (fault.before !== undefined) {
      fault.before(response);
      return;
    }
    if (fault.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    const { method, url, headers } = incoming;
    const forwarded = request({ hostname, port, method, path: url, headers }, (answer) => {
      if (fault.after !== undefined) {
        answer.resume().on('end', () => fault.after(response));
        return;
      }
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.socket?.destroy());
    forwarded.end(Buffer.concat(chunks));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

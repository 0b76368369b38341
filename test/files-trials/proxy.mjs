/** A proxy in front of a storage service that disturbs requests at random. */
import { createServer, request } from 'node:http';

/** Milliseconds for which a stalled answer holds: longer than the time limit of the program under test. */
const STALL_MS = 4000;

const FAULTS = ['reset', 'reset-late', 'lost-answer', 'cut', 'stall', 'bad-gateway', 'unavailable', 'denied', 'full'];

const REFUSALS = {
  'bad-gateway': [502, '<html><body>502 Bad Gateway</body></html>'],
  unavailable: [503, '<Error><Code>SlowDown</Code></Error>'],
  denied: [403, '<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>'],
  full: [507, '<Error><Code>InsufficientStorage</Code></Error>'],
};

/**
 * Starts a proxy to `target`. `rate` is the share of requests that are disturbed. Returns its address, how often each fault
 * was made, and `close`.
 */
export async function startProxy(target, random, rate) {
  const to = new URL(target);
  const counts = {};
  const server = createServer((incoming, outgoing) => {
    const fault = random.chance(rate) ? random.pick(FAULTS) : undefined;
    if (fault !== undefined) counts[fault] = (counts[fault] ?? 0) + 1;
    incoming.on('error', () => undefined);
    outgoing.on('error', () => undefined);
    if (fault === 'reset') return incoming.socket.resetAndDestroy();
    if (fault === 'reset-late') {
      // In the middle of the body, where there is one.
      incoming.once('data', () => incoming.socket.resetAndDestroy()).once('end', () => incoming.socket.destroy());
      return undefined;
    }
    const refusal = REFUSALS[fault];
    if (refusal !== undefined) {
      incoming
        .resume()
        .once('end', () => outgoing.writeHead(refusal[0]).end(incoming.method === 'HEAD' ? '' : refusal[1]));
      return undefined;
    }
    const { method, url, headers } = incoming;
    const passed = request({ host: to.hostname, port: to.port, method, path: url, headers }, (answer) => {
      answer.on('error', () => incoming.socket.destroy());
      if (fault === 'lost-answer') {
        answer.resume().once('end', () => incoming.socket.resetAndDestroy());
        return;
      }
      if (fault === 'stall') {
        answer.resume();
        setTimeout(() => incoming.socket.destroy(), STALL_MS).unref();
        return;
      }
      if (fault === 'cut' && method === 'GET') {
        cut(answer, outgoing);
        return;
      }
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => incoming.socket.destroy());
    incoming.pipe(passed);
    return undefined;
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    counts,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Passes on half of an answer, which ends as if it were whole. */
function cut(answer, outgoing) {
  const { 'content-length': length, ...headers } = answer.headers;
  delete headers['transfer-encoding'];
  let left = Math.floor(Number(length ?? 0) / 2);
  outgoing.writeHead(answer.statusCode, headers);
  answer.on('data', (chunk) => {
    outgoing.write(chunk.subarray(0, left));
    left -= Math.min(left, chunk.byteLength);
  });
  answer.on('end', () => outgoing.end());
}

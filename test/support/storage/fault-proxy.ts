import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What happens to a request on its way. */
export type Fault =
  /** Passes. */
  | 'none'
  /** Is answered by an error that may pass, before it reaches the service. */
  | 'unavailable'
  | 'internal-error'
  /** The connection is reset before the service sees the request. */
  | 'reset'
  /** The service carries it out, and the answer is lost. */
  | 'lost-answer'
  /** The service carries it out, and half of the answer arrives. */
  | 'half-answer'
  /** The service carries it out, and no answer arrives for as long as the client waits. */
  | 'silence';

export interface FaultProxy {
  readonly endpoint: string;
  /** The requests so far: method and path with query. */
  readonly requests: readonly string[];
}

/** Passes requests on to a service. `faultOf` decides the fate of each one, by its number from 0. */
export async function createFaultProxy(
  target: string,
  faultOf: (number: number, method: string) => Fault,
): Promise<FaultProxy> {
  const requests: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const number = requests.length;
    requests.push(`${incoming.method ?? ''} ${incoming.url ?? ''}`);
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      answer(target, faultOf(number, incoming.method ?? ''), incoming, Buffer.concat(chunks), outgoing);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, requests };
}

function answer(target: string, fault: Fault, incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse): void {
  if (fault === 'unavailable') {
    outgoing.writeHead(503, { 'retry-after': '1' }).end('<Error><Code>SlowDown</Code></Error>');
    return;
  }
  if (fault === 'internal-error') {
    outgoing.writeHead(500).end('<Error><Code>InternalError</Code><Message>trouble</Message></Error>');
    return;
  }
  if (fault === 'reset') {
    incoming.socket.resetAndDestroy();
    return;
  }
  const url = new URL(target);
  const { method = '', url: path = '', headers } = incoming;
  const passed = httpRequest({ host: url.hostname, port: url.port, method, path, headers }, (received) => {
    const chunks: Buffer[] = [];
    received.on('data', (chunk: Buffer) => chunks.push(chunk));
    received.on('end', () => {
      if (fault === 'silence') return;
      const whole = Buffer.concat(chunks);
      if (fault === 'lost-answer') incoming.socket.resetAndDestroy();
      else if (fault === 'half-answer' && whole.byteLength > 1) {
        outgoing.writeHead(received.statusCode ?? 0, { ...received.headers, 'content-length': whole.byteLength });
        outgoing.write(whole.subarray(0, whole.byteLength / 2), () => incoming.socket.destroy());
      } else outgoing.writeHead(received.statusCode ?? 0, received.headers).end(whole);
    });
  });
  passed.end(body);
}

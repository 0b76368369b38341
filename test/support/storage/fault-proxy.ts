import { request as httpRequest } from 'node:http';
import { serve, type Exchange } from '../servers/scripted-server.ts';

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
  const { url } = await serve([
    (exchange) => {
      const { method, url: path } = exchange.arrival;
      answer(target, faultOf(requests.push(`${method} ${path}`) - 1, method), exchange);
    },
  ]);
  return { endpoint: url, requests };
}

function answer(target: string, fault: Fault, { arrival, response: outgoing, socket }: Exchange): void {
  if (fault === 'unavailable') {
    outgoing.writeHead(503, { 'retry-after': '1' }).end('<Error><Code>SlowDown</Code></Error>');
    return;
  }
  if (fault === 'internal-error') {
    outgoing.writeHead(500).end('<Error><Code>InternalError</Code><Message>trouble</Message></Error>');
    return;
  }
  if (fault === 'reset') {
    socket.resetAndDestroy();
    return;
  }
  const url = new URL(target);
  const { method, url: path, headers, body } = arrival;
  const passed = httpRequest({ host: url.hostname, port: url.port, method, path, headers }, (received) => {
    const chunks: Buffer[] = [];
    received.on('data', (chunk: Buffer) => chunks.push(chunk));
    received.on('end', () => {
      if (fault === 'silence') return;
      const whole = Buffer.concat(chunks);
      if (fault === 'lost-answer') socket.resetAndDestroy();
      else if (fault === 'half-answer' && whole.byteLength > 1) {
        outgoing.writeHead(received.statusCode ?? 0, { ...received.headers, 'content-length': whole.byteLength });
        outgoing.write(whole.subarray(0, whole.byteLength / 2), () => socket.destroy());
      } else outgoing.writeHead(received.statusCode ?? 0, received.headers).end(whole);
    });
  });
  passed.end(body);
}

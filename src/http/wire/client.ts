import type { Connector } from 'undici/lib/core/connect.js';
import { startBufferedExchange } from './buffered-exchange.ts';
import { createConnections, sharedConnection, type Connections } from './connections.ts';
import { openProxy, proxyFor, readProxies } from './proxy.ts';
import { startStreamingExchange } from './streaming-exchange.ts';
import { skipOptimizations } from './v8-flags.ts';
import { WireError, type Exchange, type SendBuffered, type Transport, type WireRequest } from '../message/transport.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

export interface TransportOptions {
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY are read from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * The process sends a few requests and ends, so that V8 skips optimizations that take longer than they save. Do not set
   * it for many requests: it slows them down.
   */
  readonly oneShot?: boolean;
  /** The time for name lookup, connection and TLS handshake together; 10 s by default. */
  readonly connectTimeoutMs?: Milliseconds;
}

export interface ClientTransport extends Transport {
  readonly openBuffered: (origin: string) => Promise<SendBuffered>;
  /** Closes every connection. Idle connections do not keep the process alive. */
  close(): Promise<void>;
}

/**
 * Sends requests over HTTP/1.1 with undici. Connections are kept alive and reused. A redirect is an answer like any
 * other. Nothing is retried here, and nothing of undici is loaded before the first request.
 * Fails with usage (2) for a proxy variable that is not an address. Requests fail with WireError only.
 */
export function createTransport(options: TransportOptions): ClientTransport {
  const proxies = readProxies(options.env);
  let optimizing: Promise<() => void> | undefined;
  const origins = new Map<string, Promise<Connections>>();
  const settings = {
    connectTimeout: options.connectTimeoutMs ?? 10_000,
    // The caller sets one deadline for the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
  };

  const open = async (url: URL): Promise<Connections> => {
    const connections = await load(url);
    // The flags are changed once every module is loaded. The parser is compiled with the first connection.
    if (options.oneShot === true) await (optimizing ??= import('node:v8').then(skipOptimizations));
    return connections;
  };

  const load = async (url: URL): Promise<Connections> => {
    const [{ default: Client }, { skipInformationalAnswers }] = await Promise.all([
      import('undici/lib/dispatcher/client.js'),
      import('./informational-answers.ts'),
    ]);
    const proxy = proxyFor(url, proxies);
    if (proxy !== undefined) return sharedConnection(await openProxy(proxy, settings));
    // Node loads it at the first connection to a host name.
    if (!IP_ADDRESS.test(url.hostname)) await import('node:dns');
    // Creating a TLS context takes longer than a handshake, so all connections to an origin share one.
    const connect = url.protocol === 'https:' ? { connect: await tlsConnector(settings.connectTimeout) } : {};
    return createConnections(() => skipInformationalAnswers(new Client(url.origin, { ...settings, ...connect })));
  };

  const connectionsTo = (url: URL): Promise<Connections> => {
    const connections = origins.get(url.origin) ?? open(url);
    origins.set(url.origin, connections);
    return connections;
  };

  const send = async (request: WireRequest): ReturnType<Transport> => {
    const url = new URL(request.url);
    const connections = await connectionsTo(url);
    // Also while the client was being loaded.
    if (request.signal.aborted) throw new WireError('not-sent', 'aborted before it was sent', request.signal.reason);
    const answer = await startStreamingExchange(connections, url, request);
    // The parser is loaded once there is an answer.
    (await optimizing)?.();
    return answer;
  };

  const openBuffered: ClientTransport['openBuffered'] = async (origin) => {
    const connections = await connectionsTo(new URL(origin));
    const restore = await optimizing;
    return (request, body, maxBytes) => {
      const exchange = startBufferedExchange(connections, request, body, maxBytes);
      return restore === undefined ? exchange : afterAnswer(exchange, restore);
    };
  };

  const close = async (): Promise<void> => {
    const opened = [...origins.values()];
    origins.clear();
    await Promise.all(opened.map(async (connections) => (await connections).destroy()));
  };

  return Object.assign(send, { close, openBuffered });
}

/** An address in a URL: of four numbers, or of version 6 in brackets. */
const IP_ADDRESS = /^(\d+\.){3}\d+$|^\[/;

/** The same exchange; `then` is called when the answer has come. */
const afterAnswer = (exchange: Exchange, then: () => void): Exchange => ({
  answer: exchange.answer.then((answer) => {
    then();
    return answer;
  }),
  abort: (reason) => {
    exchange.abort(reason);
  },
});

async function tlsConnector(timeout: number): Promise<Connector> {
  const [{ createSecureContext }, { createTlsConnector }] = await Promise.all([
    import('node:tls'),
    import('./certificate-errors.ts'),
  ]);
  return createTlsConnector({ timeout, secureContext: createSecureContext() });
}

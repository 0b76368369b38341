import type { Connector } from 'undici/lib/core/connect.js';
import { createConnections, type Connections } from './connections.ts';
import { dispatchOnce } from './streaming-exchange.ts';
import { exchangeWhole, type Exchange, type WholeRequest } from './buffered-exchange.ts';
import { keepParserAsCompiled } from './parser-tiering.ts';
import { openProxy, proxyFor, readProxies } from './proxy.ts';
import { WireError, type Transport, type WireRequest } from './transport.ts';

export interface TransportOptions {
  /** Where HTTPS_PROXY, HTTP_PROXY and NO_PROXY are read from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * This process sends a few requests and ends. V8 then leaves the parser's WebAssembly as first compiled: recompiling
   * it would keep the process busy for longer than the whole command. Not for many requests, which that would slow.
   */
  readonly oneShot?: boolean;
  /** Milliseconds for name lookup, connection and TLS handshake together; 10 s by default. */
  readonly connectTimeoutMs?: number;
}

export type SendWhole = (request: WholeRequest, body: Uint8Array | undefined) => Exchange;

export interface ClientTransport extends Transport {
  /** What sends many requests to one origin, each answer whole: connections are ready when it resolves. */
  whole(origin: string, maxBytes: number): Promise<SendWhole>;
  /** Ends every connection, idle or not. Idle ones alone never keep the process alive. */
  close(): Promise<void>;
}

async function tlsConnector(timeout: number): Promise<Connector> {
  const [{ createSecureContext }, { createTlsConnector }] = await Promise.all([
    import('node:tls'),
    import('./certificate.ts'),
  ]);
  return createTlsConnector({ timeout, secureContext: createSecureContext() });
}

/**
 * Requests over HTTP/1.1, on undici. Connections are kept alive and reused; redirects are answers like any other;
 * nothing is retried here. Nothing of undici is loaded before the first request.
 * Fails with usage (2) for a proxy variable that is not an address; a request fails with WireError only.
 */
export function createTransport(options: TransportOptions): ClientTransport {
  const proxies = readProxies(options.env);
  let asCompiled: Promise<() => void> | undefined;
  const origins = new Map<string, Promise<Connections>>();
  const settings = {
    connectTimeout: options.connectTimeoutMs ?? 10_000,
    // The exchange has one deadline, and it is the caller's.
    headersTimeout: 0,
    bodyTimeout: 0,
  };

  const open = async (url: URL): Promise<Connections> => {
    const proxy = proxyFor(url, proxies);
    const { default: Client } = await import('undici/lib/dispatcher/client.js');
    // The parser is loaded with the first connection. The client itself comes before, or V8 would not take its cache.
    if (options.oneShot === true) await (asCompiled ??= keepParserAsCompiled());
    if (proxy !== undefined) {
      const agent = await openProxy(proxy, proxies, settings);
      return {
        dispatch: (request, handler) => agent.dispatch(request, handler),
        lend: () => agent,
        giveBack: () => undefined,
        destroy: () => agent.destroy(),
      };
    }
    // Making a TLS context takes longer than a handshake: all connections to an origin share one.
    const connect = url.protocol === 'https:' ? { connect: await tlsConnector(settings.connectTimeout) } : {};
    return createConnections(() => new Client(url.origin, { ...settings, ...connect }));
  };

  const connectionsTo = (url: URL): Promise<Connections> => {
    const connections = origins.get(url.origin) ?? open(url);
    origins.set(url.origin, connections);
    return connections;
  };

  const send = async (request: WireRequest): ReturnType<Transport> => {
    if (request.signal.aborted) throw new WireError('not-sent', 'given up before it was sent', request.signal.reason);
    const url = new URL(request.url);
    const answer = await dispatchOnce(await connectionsTo(url), url, request);
    // An answer has come, so the parser is loaded.
    (await asCompiled)?.();
    return answer;
  };

  const close = async (): Promise<void> => {
    const opened = [...origins.values()];
    origins.clear();
    await Promise.all(opened.map(async (connections) => (await connections).destroy()));
  };

  const whole: ClientTransport['whole'] = async (origin, maxBytes) => {
    const connections = await connectionsTo(new URL(origin));
    return (request, body) => {
      const client = connections.lend();
      return exchangeWhole(client, request, body, maxBytes, () => {
        connections.giveBack(client);
      });
    };
  };

  return Object.assign(send, { close, whole });
}

import type { Dispatcher } from 'undici';
import { openProxy, proxyFor, readProxies } from './client-proxy.ts';
import { dispatchOnce } from './client-exchange.ts';
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

export interface ClientTransport extends Transport {
  /** Ends every connection, idle or not. Idle ones alone never keep the process alive. */
  close(): Promise<void>;
}

/**
 * Requests over HTTP/1.1, on undici. Connections are kept alive and reused; redirects are answers like any other;
 * nothing is retried here. Nothing of undici is loaded before the first request.
 * Fails with usage (2) for a proxy variable that is not an address; a request fails with WireError only.
 */
export function createTransport(options: TransportOptions): ClientTransport {
  const proxies = readProxies(options.env);
  const dispatchers = new Map<string, Promise<Dispatcher>>();
  const connection = {
    connectTimeout: options.connectTimeoutMs ?? 10_000,
    // The exchange has one deadline, and it is the caller's.
    headersTimeout: 0,
    bodyTimeout: 0,
  };

  const open = async (url: URL): Promise<Dispatcher> => {
    if (options.oneShot === true) {
      const { setFlagsFromString } = await import('node:v8');
      setFlagsFromString('--wasm-tiering-budget=1000000000');
    }
    const proxy = proxyFor(url, proxies);
    if (proxy !== undefined) return openProxy(proxy, proxies, connection);
    const { default: Pool } = await import('undici/lib/dispatcher/pool.js');
    return new Pool(url.origin, connection);
  };

  const send = async (request: WireRequest): ReturnType<Transport> => {
    if (request.signal.aborted) throw new WireError('not-sent', 'given up before it was sent', request.signal.reason);
    const url = new URL(request.url);
    const known = dispatchers.get(url.origin) ?? open(url);
    dispatchers.set(url.origin, known);
    return dispatchOnce(await known, url, request);
  };

  const close = async (): Promise<void> => {
    const opened = [...dispatchers.values()];
    dispatchers.clear();
    await Promise.all(opened.map(async (dispatcher) => (await dispatcher).destroy()));
  };

  return Object.assign(send, { close });
}

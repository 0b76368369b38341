import { setFlagsFromString } from 'node:v8';
import type { Connector } from 'undici/lib/core/connect.js';
import type { Milliseconds } from '../../core/unit-types.ts';
import type { Transport } from '../transport.ts';
import { type Connections, createConnections, sendRequest, sharedConnection } from './connections.ts';
import { createPlainConnector } from './plain-connector.ts';

const PROXY_VARIABLES = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'];

/** On by default, in every version since Node 20. */
const RECOMPILING = ['wasm-tier-up', 'wasm-dynamic-tiering'];

/**
 * Off, V8 does not recompile the parser of answers, which takes 32 MiB and saves no time, not even of 60,000 requests. Only after all
 * modules are loaded and until the first answer: meanwhile V8 rejects code caches.
 */
export function setRecompiling(on: boolean): void {
  for (const flag of RECOMPILING) setFlagsFromString(`--${on ? '' : 'no-'}${flag}`);
}

export interface TransportOptions {
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY are read from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The time for name lookup, connection and TLS handshake together; 10 s by default. */
  readonly connectTimeoutMs?: Milliseconds;
}

export interface ClientTransport extends Transport {
  /** Closes every connection. Idle connections do not keep the process alive. */
  close(): Promise<void>;
}

/** HTTP/1.1 with undici. No retries here. Usage (2) for a bad proxy variable. */
export function createTransport(options: TransportOptions): ClientTransport {
  const origins = new Map<string, Promise<Connections>>();
  let last: Connections | undefined;
  const settings = {
    connectTimeout: options.connectTimeoutMs ?? 10_000,
    // The caller sets one deadline for the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
  };

  const open = async (url: URL): Promise<Connections> => {
    if (PROXY_VARIABLES.some((name) => name in options.env)) {
      const { openProxy, proxyFor, readProxies } = await import('./proxy.ts');
      const proxy = proxyFor(url, readProxies(options.env));
      if (proxy !== undefined) return sharedConnection(url.origin, await openProxy(proxy, settings));
    }
    // Node loads it at the first connection to a host name.
    if (!IP_ADDRESS.test(url.hostname)) await import('node:dns');
    // Creating a TLS context takes longer than a handshake, so all connections to an origin share one.
    const open = url.protocol === 'https:' ? tlsConnector : createPlainConnector;
    return createConnections(url.origin, { ...settings, connect: await open(settings.connectTimeout) });
  };

  const send: Transport = async (request) => {
    // A batch sends thousands to one origin: to parse each address costs as much as the rest.
    if (last !== undefined && request.url.startsWith(last.origin)) {
      const path = request.url.slice(last.origin.length);
      if (PLAIN_PATH.test(path)) return await sendRequest(last, path, request);
    }
    const url = new URL(request.url);
    let opened = origins.get(url.origin);
    if (opened === undefined) origins.set(url.origin, (opened = open(url)));
    const isFirst = last === undefined;
    const connections = (last = await opened);
    // The flags are changed once every module is loaded. The parser is compiled with the first connection.
    if (isFirst) setRecompiling(false);
    try {
      return await sendRequest(connections, url.pathname + url.search, request);
    } finally {
      // The parser is loaded once there is an answer.
      if (isFirst) setRecompiling(true);
    }
  };

  const close = async (): Promise<void> => {
    const opened = [...origins.values()];
    origins.clear();
    last = undefined;
    // What did not open has nothing to close.
    await Promise.allSettled(opened.map(async (connections) => (await connections).destroy()));
  };

  return Object.assign(send, { close });
}

/** A parser of addresses would change nothing of it. */
const PLAIN_PATH = /^\/[\w/-]*$/;

const IP_ADDRESS = /^(\d+\.){3}\d+$|^\[/;

async function tlsConnector(timeout: number): Promise<Connector> {
  const [{ createSecureContext }, { createTlsConnector }] = await Promise.all([
    import('node:tls'),
    import('./certificate-errors.ts'),
  ]);
  return createTlsConnector({ timeout, secureContext: createSecureContext() });
}

import type { Dispatcher } from 'undici';
import { usage } from '../../core/failure.ts';
import { isLoopback } from '../../core/address.ts';
import { describeCertificate, describeTrouble } from './client-errors.ts';

/** What the environment says of proxies. */
export interface Proxies {
  readonly http: URL | undefined;
  readonly https: URL | undefined;
  readonly exceptions: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY; where both spellings are set, lower case wins, as in other tools.
 * Fails with usage (2) naming the variable, never its value: that may hold a password.
 */
export const readProxies = (env: Environment): Proxies => ({
  http: readProxy(env, 'http_proxy'),
  https: readProxy(env, 'https_proxy'),
  exceptions: env['no_proxy'] ?? env['NO_PROXY'] ?? '',
});

function readProxy(env: Environment, name: string): URL | undefined {
  const variable = env[name] === undefined ? name.toUpperCase() : name;
  const text = env[variable]?.trim() ?? '';
  if (text === '') return undefined;
  const full = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw usage(`${variable} is not the address of an http proxy`, `Write http://HOST:PORT, or unset ${variable}.`);
  return url;
}

/**
 * The proxy that the environment names for an address, exceptions aside. What goes to this machine over plain http
 * carries a key, so it never takes a proxy that is not on this machine too.
 */
export function proxyFor(url: URL, proxies: Proxies): URL | undefined {
  const proxy = url.protocol === 'https:' ? proxies.https : proxies.http;
  if (proxy === undefined) return undefined;
  return url.protocol === 'http:' && isLoopback(url.hostname) && !isLoopback(proxy.hostname) ? undefined : proxy;
}

/** A dispatcher that goes through `proxy`, unless NO_PROXY exempts the host. */
export async function openProxy(proxy: URL, proxies: Proxies, connection: object): Promise<Dispatcher> {
  const [{ default: EnvHttpProxyAgent }, { default: Pool }, { default: connect }, certificate] = await Promise.all([
    import('undici/lib/dispatcher/env-http-proxy-agent.js'),
    import('undici/lib/dispatcher/pool.js'),
    import('undici/lib/api/api-connect.js'),
    import('./certificate.ts'),
  ]);
  /** What tunnels are asked of. Loaded by deep path, undici's classes come without their request methods. */
  const clientFactory = (origin: URL, options: object): Dispatcher => {
    const pool = new Pool(origin, options);
    return Object.assign(pool, {
      connect: (request: Dispatcher.ConnectOptions) =>
        connect.call(pool, request).catch((error: unknown) => {
          if (describeCertificate(error) !== undefined) throw error;
          // undici takes its own socket errors for a connection to be made anew, and would ask again without end.
          throw new Error(`the proxy gave no tunnel: ${describeTrouble(error)}`, { cause: error });
        }),
    });
  };
  // Both are given, or undici would read the process's own environment for the other.
  return new EnvHttpProxyAgent({
    ...connection,
    httpProxy: proxy.href,
    httpsProxy: proxy.href,
    noProxy: proxies.exceptions,
    proxyTunnel: false,
    requestTls: { checkServerIdentity: certificate.checkHostName },
    proxyTls: { checkServerIdentity: certificate.checkHostName },
    clientFactory,
  });
}

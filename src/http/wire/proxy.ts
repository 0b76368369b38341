import type { Dispatcher } from 'undici';
import { usage } from '../../core/failure.ts';
import { isLoopback } from '../../core/addresses/http-address.ts';
import { describeCertificate, describeClientError } from './client-errors.ts';

/** The proxies that the environment names. */
export interface Proxies {
  readonly http: URL | undefined;
  readonly https: URL | undefined;
  /** The hosts in NO_PROXY. */
  readonly exceptions: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY. When both spellings are set, the lower-case one is used, as in other tools.
 * Fails with usage (2) and names the variable, but never its value, which may contain a password.
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
 * Returns the proxy for an address; NO_PROXY is not applied here. A request over plain http to this machine sends the
 * key without encryption, so it never goes through a proxy.
 */
export function proxyFor(url: URL, proxies: Proxies): URL | undefined {
  if (url.protocol === 'https:') return proxies.https;
  return isLoopback(url.hostname) ? undefined : proxies.http;
}

/** Returns a dispatcher that uses `proxy`, except for the hosts in NO_PROXY. */
export async function openProxy(proxy: URL, proxies: Proxies, connection: object): Promise<Dispatcher> {
  const [{ default: EnvHttpProxyAgent }, { default: Pool }, { default: connect }, certificates, informational] =
    await Promise.all([
      import('undici/lib/dispatcher/env-http-proxy-agent.js'),
      import('undici/lib/dispatcher/pool.js'),
      import('undici/lib/api/api-connect.js'),
      import('./certificate-errors.ts'),
      import('./informational-answers.ts'),
    ]);
  const factory = (origin: string | URL, options: object): Dispatcher =>
    informational.skipInformationalAnswers(
      new Pool(origin, new URL(origin).origin === proxy.origin ? naming(proxy, options) : options),
    );
  /**
   * Makes the pool that opens tunnels. Classes imported from a file inside the undici package do not have its request
   * methods.
   */
  const clientFactory = (origin: URL, options: object): Dispatcher => {
    const pool = factory(origin, options);
    return Object.assign(pool, {
      connect: (request: Dispatcher.ConnectOptions) =>
        connect.call(pool, request).catch((error: unknown) => {
          if (describeCertificate(error) !== undefined) throw error;
          // undici reconnects after its own socket errors, and would repeat the request forever.
          throw new Error(`the proxy ${proxy.host} gave no tunnel: ${describeClientError(error)}`, { cause: error });
        }),
    });
  };
  // Both are set, because undici reads the process's environment for a missing one.
  return new EnvHttpProxyAgent({
    ...connection,
    httpProxy: proxy.href,
    httpsProxy: proxy.href,
    noProxy: proxies.exceptions,
    proxyTunnel: false,
    requestTls: { checkServerIdentity: certificates.checkHostName },
    proxyTls: { checkServerIdentity: certificates.checkHostName },
    clientFactory,
    factory,
  });
}

type Connector = (options: object, callback: (error: Error | null, socket: unknown) => void) => void;

/** The options of connections to the proxy itself, for plain http: their failures name it. */
function naming(proxy: URL, options: { readonly connect?: Connector }): object {
  const { connect } = options;
  if (connect === undefined) return options;
  const named: Connector = (given, callback) => {
    connect(given, (error, socket) => {
      const why = error && new Error(`the proxy ${proxy.host}: ${describeClientError(error)}`, { cause: error });
      callback(why, socket);
    });
  };
  return { ...options, connect: named };
}

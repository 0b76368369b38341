import { BlockList, isIP } from 'node:net';
import type { Dispatcher } from 'undici';
import { usage } from '../../core/failure.ts';
import { isLoopback } from '../../core/addresses.ts';
import { describeCertificate, describeClientError } from './client-errors.ts';
import { skipContinue } from './connections.ts';

export interface Proxy {
  readonly url: URL;
  readonly token: string | undefined;
}

export interface Proxies {
  readonly http: Proxy | undefined;
  readonly https: Proxy | undefined;
  readonly exceptions: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Lower-case variables win. Fails with usage (2); the value is never shown: it may contain a password. */
export const readProxies = (env: Environment): Proxies => ({
  http: readProxy(env, 'http_proxy'),
  https: readProxy(env, 'https_proxy'),
  exceptions: (env['no_proxy'] ?? env['NO_PROXY'])?.match(/[^\s,]+/g) ?? [],
});

/** The parts of an address as curl reads it: `\` and any `%` may be in the user name and password, a path is ignored. */
const PROXY = /^(?:(https?):\/\/|(?!.*:\/\/))(?:([^@/?#]*)@)?([^@/?#\\]+)(?:[/?#][^@]*)?$/i;

function readProxy(env: Environment, name: string): Proxy | undefined {
  const variable = env[name] === undefined ? name.toUpperCase() : name;
  const text = env[variable]?.trim() ?? '';
  if (text === '') return undefined;
  const [, scheme = 'http', user, host = ''] = PROXY.exec(text) ?? [];
  const address = `${scheme}://${host}`;
  if (!URL.canParse(address))
    throw usage(
      `${variable} is not the address of an http proxy`,
      `Write http://HOST:PORT, or unset ${variable}. In a user name or password, write @ / ? # as %40 %2F %3F %23.`,
    );
  return { url: new URL(address), token: user === undefined ? undefined : `Basic ${basicOf(user)}` };
}

/** A user name and a password, of which the second may be missing, in base64. A `%` without two digits stays as it is. */
function basicOf(user: string): string {
  const bytes = Buffer.from(user.includes(':') ? user : `${user}:`).toString('latin1');
  const decoded = bytes.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(decoded, 'latin1').toString('base64');
}

/** Plain http to this machine never uses a proxy: the key is not encrypted. Usage (2) for a bad NO_PROXY. */
export function proxyFor(url: URL, proxies: Proxies): Proxy | undefined {
  const proxy = url.protocol === 'https:' ? proxies.https : isLoopback(url.hostname) ? undefined : proxies.http;
  return proxy === undefined || proxies.exceptions.some((item) => isException(item, url)) ? undefined : proxy;
}

/** Whether an item of NO_PROXY names the host of an address: `*`, `example.com` with all below it, `10.0.0.0/8`, with or without a port. */
function isException(item: string, url: URL): boolean {
  const [, name = item, port] = isIP(item) === 0 ? (/^\[?([^[\]]+?)\]?(?::(\d+))?$/.exec(item) ?? []) : [];
  if (port !== undefined && port !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false;
  const host = withoutBrackets(url.hostname).replace(/\.$/, '');
  const [address = '', bits = isIP(address) === 6 ? '128' : '32'] = name.split('/');
  if (isIP(address) !== 0 && /^\d+$/.test(bits) && Number(bits) <= (isIP(address) === 6 ? 128 : 32)) {
    const network = new BlockList();
    network.addSubnet(address, Number(bits), familyOf(address));
    return isIP(host) !== 0 && network.check(host, familyOf(host));
  }
  const domain = /^(?:\*?\.)?([\w-]+(?:\.[\w-]+)*)\.?$/.exec(name.toLowerCase())?.[1];
  if (domain === undefined && name !== '*')
    throw usage(
      `NO_PROXY has ${JSON.stringify(item)}, which is neither a host nor a network`,
      'Write hosts (example.com), addresses and networks (10.0.0.0/8), with commas, or *.',
    );
  return domain === undefined || host === domain || host.endsWith(`.${domain}`);
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');

export async function openProxy(proxy: Proxy, connection: object): Promise<Dispatcher> {
  const [{ default: ProxyAgent }, { default: Pool }, { default: connect }, certificates] = await Promise.all([
    import('undici/lib/dispatcher/proxy-agent.js'),
    import('undici/lib/dispatcher/pool.js'),
    import('undici/lib/api/api-connect.js'),
    import('./certificate-errors.ts'),
  ]);
  const { url, token } = proxy;
  const factory = (origin: string | URL, options: object): Dispatcher =>
    skipContinue(new Pool(origin, new URL(origin).origin === url.origin ? toProxy(url, options) : options));
  /** Classes imported from a file inside the undici package do not have its request methods. */
  const clientFactory = (origin: URL, options: object): Dispatcher => {
    const pool = factory(origin, options);
    return Object.assign(pool, {
      connect: (request: Dispatcher.ConnectOptions) =>
        connect.call(pool, request).catch((error: unknown) => {
          if (describeCertificate(error) !== undefined) throw error;
          // undici reconnects after its own socket errors, and would repeat the request forever.
          throw new Error(`the proxy ${url.host} gave no tunnel: ${describeClientError(error)}`, { cause: error });
        }),
    });
  };
  return new ProxyAgent({
    ...connection,
    uri: url.origin,
    ...(token === undefined ? {} : { token }),
    proxyTunnel: false,
    requestTls: { checkServerIdentity: certificates.checkHostName },
    proxyTls: { checkServerIdentity: certificates.checkHostName },
    clientFactory,
    factory,
  });
}

type Connector = (options: object, callback: (error: Error | null, socket: unknown) => void) => void;

/** The options of connections to the proxy itself: failures name it, and an address is no name for TLS (Node refuses it). */
function toProxy(proxy: URL, options: { readonly connect?: Connector }): object {
  const { connect } = options;
  if (connect === undefined) return options;
  const named: Connector = (given, callback) => {
    const target = isIP(withoutBrackets(proxy.hostname)) !== 0 ? { ...given, servername: undefined } : given;
    connect(target, (error, socket) => {
      const why = error && new Error(`the proxy ${proxy.host}: ${describeClientError(error)}`, { cause: error });
      callback(why, socket);
    });
  };
  return { ...options, connect: named };
}

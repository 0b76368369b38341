import { usage } from '../../../../core/failure.ts';

/** Where a PostgreSQL store is, without its password. */
export interface StoreAddress {
  /** A host name, an IP address, or the directory of a unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** How the connection is protected: `off` for a unix socket and for loopback. */
  readonly tls: 'verified' | 'unverified' | 'off';
  /** A file with the certificates of the authorities to trust, in place of those of Node. */
  readonly rootCertificates: string | undefined;
  /** The address as it may be shown: it has no password. */
  readonly shown: string;
}

/** The address of a store, and the password that was written in it. */
interface ParsedAddress {
  readonly address: StoreAddress;
  readonly password: string | undefined;
}

const DEFAULT_PORT = 5432;

/**
 * Parses `postgres://USER[:PASSWORD]@HOST[:PORT]/DATABASE[?host=DIRECTORY&sslmode=MODE&sslrootcert=FILE]`. `env` supplies
 * PGUSER, PGHOST, PGPORT, PGDATABASE, PGSSLMODE and PGSSLROOTCERT for parts that are absent. TLS is on except for loopback
 * and a unix socket, unless sslmode asks for it on loopback. Fails with usage (2); no message contains the address, because it may contain a password.
 */
export function parseStoreAddress(text: string, env: Readonly<Record<string, string | undefined>>): ParsedAddress {
  const url = parseUrl(text);
  const parameter = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  for (const name of url.searchParams.keys())
    if (!PARAMETERS.includes(name))
      throw usage(`the address of the store has an unknown parameter ${name}`, `Known ones: ${PARAMETERS.join(', ')}.`);
  const host = parameter('host') ?? firstOf(hostOf(url), env['PGHOST']) ?? 'localhost';
  const port = Number(firstOf(url.port, env['PGPORT']) ?? DEFAULT_PORT);
  const user = firstOf(decoded(url.username), env['PGUSER'], env['USER']);
  if (user === undefined)
    throw usage('the address of the store names no user', 'Write it as postgres://USER@HOST/DATABASE.');
  const database = firstOf(decoded(url.pathname.slice(1)), env['PGDATABASE']) ?? user;
  const mode = parameter('sslmode');
  const tls = mode === undefined ? tlsOfVariable(host, firstOf(env['PGSSLMODE'])) : tlsOf(host, mode, 'sslmode');
  const rootCertificates = parameter('sslrootcert') ?? firstOf(env['PGSSLROOTCERT']);
  const place = placeOf(host, port, parameter('host') !== undefined);
  const shownParameters = new URLSearchParams([...url.searchParams].filter(([name]) => name !== 'password')).toString();
  return {
    address: {
      host,
      port,
      database,
      user,
      tls,
      rootCertificates,
      shown: `postgres://${encodeURIComponent(user)}@${place}/${encodeURIComponent(database)}${shownParameters === '' ? '' : `?${decodeURIComponent(shownParameters)}`}`,
    },
    password: url.password === '' ? undefined : decoded(url.password),
  };
}

function placeOf(host: string, port: number, hasParameter: boolean): string {
  if (host.startsWith('/')) return hasParameter ? '' : encodeURIComponent(host);
  return (host.includes(':') ? `[${host}]` : host) + (port === DEFAULT_PORT ? '' : `:${String(port)}`);
}

const PARAMETERS = ['host', 'sslmode', 'sslrootcert'];

function parseUrl(text: string): URL {
  try {
    // The standard has no user without a host; PostgreSQL has, for the directory of a socket in `host`.
    const url = new URL(text.replace(/^(\w+:\/\/[^/?#]*@)(?=[/?#]|$)/, '$1localhost'));
    if (url.protocol === 'postgres:' || url.protocol === 'postgresql:') return url;
  } catch {
    // The address may contain a password, so the error of the parser is not shown.
  }
  throw usage(
    '--store or BERTH_STORE is not the address of a PostgreSQL database',
    'Write it as postgres://USER@HOST:PORT/DATABASE.',
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw usage('the address of the store has an invalid % sequence', 'Write a percent sign as %25.');
  }
}

/** Returns the first text that is not empty. */
const firstOf = (...texts: readonly (string | undefined)[]): string | undefined =>
  texts.find((text) => text !== undefined && text !== '');

/** The host of an address, without the brackets of an IPv6 address. */
const hostOf = (url: URL): string => decoded(url.hostname).replace(/^\[(.*)\]$/, '$1');

/** True for this machine: nobody else can read the connection. */
const isLocal = (host: string): boolean =>
  host.startsWith('/') || host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/**
 * As `tlsOf`, for the variable, which holds for every database of a user: a unix socket ignores it, and the modes that only
 * prefer TLS or not leave it to berth.
 */
const tlsOfVariable = (host: string, mode: string | undefined): StoreAddress['tls'] =>
  tlsOf(host, host.startsWith('/') || mode === 'allow' || mode === 'prefer' ? undefined : mode, 'PGSSLMODE');

/** `name` is what the mode was set by, for messages. */
function tlsOf(host: string, mode: string | undefined, name: string): StoreAddress['tls'] {
  switch (mode) {
    case undefined:
      return isLocal(host) ? 'off' : 'verified';
    case 'require':
    case 'verify-ca':
    case 'verify-full':
      if (host.startsWith('/')) throw usage('a unix socket has no TLS', 'Leave sslmode out.');
      return 'verified';
    case 'no-verify':
      return 'unverified';
    case 'disable':
      if (isLocal(host)) return 'off';
      throw usage(
        `${name}=disable is only for a database on this machine`,
        'Leave it out. For a certificate of your own authority: sslrootcert=FILE.',
      );
    default:
      throw usage(`${name} has no value ${mode}`, 'Use verify-full, no-verify or disable.');
  }
}

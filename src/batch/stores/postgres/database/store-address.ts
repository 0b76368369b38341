import { isLoopback } from '../../../../core/addresses/http-address.ts';
import { usage } from '../../../../core/failure.ts';

/** A server that may have the database. */
export interface StoreHost {
  /** A host name, an IP address, or the directory of a unix socket. */
  readonly host: string;
  readonly port: number;
  /** How the connection is protected: `off` for a unix socket and for loopback. */
  readonly tls: 'verified' | 'unverified' | 'off';
}

/** Where a PostgreSQL store is, without its password. */
export interface StoreAddress {
  /** The servers in the order in which they are tried. */
  readonly hosts: readonly StoreHost[];
  /** True to use only a server that accepts writes (`target_session_attrs`). */
  readonly mustWrite: boolean;
  readonly database: string;
  readonly user: string;
  /** A file with the certificates of the authorities to trust, in place of those of Node. */
  readonly rootCertificates: string | undefined;
  /** Files with the certificate of the client and its key. */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** The address as it may be shown: it has no password. */
  readonly shown: string;
}

/** The address of a store, and the password that was written in it or in its service. */
interface ParsedAddress {
  readonly address: StoreAddress;
  readonly password: string | undefined;
  /** True when the password is in the address itself. */
  readonly showsPassword: boolean;
}

type Texts = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORT = '5432';

/** Parameters of an address, and the variables that stand for them. */
const VARIABLES = {
  host: 'PGHOST',
  port: 'PGPORT',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  target_session_attrs: 'PGTARGETSESSIONATTRS',
  service: 'PGSERVICE',
} as const;
const PARAMETERS = Object.keys(VARIABLES);
const OF_SERVICES = [
  ...PARAMETERS.filter((name) => name !== 'service'),
  'dbname',
  'user',
  'password',
  'application_name',
];

/** Variables that ask for a protection or a route that berth does not have, unless they have one of these values. */
const REFUSED = [
  'PGHOSTADDR',
  'PGSSLCRL',
  'PGSSLCRLDIR',
  'PGREQUIREPEER',
  'PGREQUIREAUTH',
  'PGCHANNELBINDING',
  'PGGSSENCMODE',
];
const HARMLESS = [undefined, '', 'prefer', 'disable'];

/** Returns the name of the service that an address or PGSERVICE names: a section of a service file. Fails with usage (2). */
export const serviceOf = (text: string, env: Texts): string | undefined =>
  firstOf(parseUrl(text).url.searchParams.get('service') ?? undefined, env['PGSERVICE']);

/**
 * Parses `postgres://[USER[:PASSWORD]@][HOST[:PORT],...]/[DATABASE][?PARAMETER=VALUE&...]` with the parameters of `VARIABLES`.
 * What is absent comes from `service`, the members of the service that the address names, then from `env`. TLS is on except for
 * loopback and a unix socket, unless sslmode or a client certificate asks for it on loopback. Fails with usage (2); no message
 * contains the address, because it may contain a password.
 */
export function parseStoreAddress(text: string, env: Texts, service: Texts = {}): ParsedAddress {
  const { url, places } = parseUrl(text);
  const given = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  requireKnown([...url.searchParams.keys()], PARAMETERS, 'the address of the store');
  requireKnown(Object.keys(service), OF_SERVICES, 'the service of the store');
  for (const name of REFUSED)
    if (!HARMLESS.includes(env[name]))
      throw usage(`${name} is set, and berth has no such setting`, 'Unset it for berth.');
  const value = (name: keyof typeof VARIABLES): string | undefined =>
    firstOf(given(name), service[name], env[VARIABLES[name]]);
  const user = firstOf(decoded(url.username), service['user'], env['PGUSER'], env['USER']);
  if (user === undefined)
    throw usage('the address of the store names no user', 'Write it as postgres://USER@HOST/DATABASE.');
  const database = firstOf(decoded(url.pathname.slice(1)), service['dbname'], env['PGDATABASE']) ?? user;
  const certificate = value('sslcert');
  const mode = given('sslmode');
  const usual = firstOf(service['sslmode'], env['PGSSLMODE'], certificate === undefined ? undefined : 'verify-full');
  const tlsOfHost = (host: string): StoreHost['tls'] =>
    mode === undefined
      ? usualTls(host, usual, firstOf(service['sslmode']) === undefined ? 'PGSSLMODE' : 'sslmode')
      : tlsOf(host, mode, 'sslmode');
  const hosts = hostsOf(
    given('host') === undefined && places.length > 0
      ? places.map(({ host }) => host)
      : listOf(value('host') ?? 'localhost'),
    places.some(({ port }) => port !== '') ? places.map(({ port }) => port) : listOf(value('port') ?? DEFAULT_PORT),
  ).map((each) => ({ ...each, tls: tlsOfHost(each.host) }));
  const place = hosts.map(({ host, port }) => placeOf(host, port, given('host') !== undefined)).join(',');
  const parameters = decodeURIComponent(url.searchParams.toString());
  const showsPassword = url.password !== '';
  return {
    address: {
      hosts,
      mustWrite: mustWrite(value('target_session_attrs')),
      ...{ database, user, certificate },
      rootCertificates: value('sslrootcert'),
      key: value('sslkey'),
      shown: `postgres://${encodeURIComponent(user)}@${place}/${encodeURIComponent(database)}${parameters === '' ? '' : `?${parameters}`}`,
    },
    password: showsPassword ? decoded(url.password) : service['password'],
    showsPassword,
  };
}

function requireKnown(names: readonly string[], known: readonly string[], where: string): void {
  for (const name of names)
    if (!known.includes(name))
      throw usage(`${where} has an unknown parameter ${name}`, `Known ones: ${known.join(', ')}.`);
}

const listOf = (text: string): readonly string[] => text.split(',');

/** Pairs hosts with their ports: one port is that of all. */
function hostsOf(hosts: readonly string[], ports: readonly string[]): readonly Omit<StoreHost, 'tls'>[] {
  if (ports.length > 1 && ports.length !== hosts.length)
    throw usage(`the store has ${hosts.length} hosts and ${ports.length} ports`, 'Name one port, or one for each.');
  return hosts.map((host, at) => {
    const port = firstOf(ports.length === 1 ? ports[0] : ports[at]) ?? DEFAULT_PORT;
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
      throw usage('the port of the store is not a number', 'Write it as 5432.');
    return { host: host === '' ? 'localhost' : host, port: Number(port) };
  });
}

/** A batch is worked on, so that servers that only read are of no use. Fails with usage (2). */
function mustWrite(attributes: string | undefined): boolean {
  if (attributes === undefined || attributes === 'any') return false;
  if (attributes === 'read-write' || attributes === 'primary') return true;
  throw usage(`target_session_attrs has no value ${attributes} here`, 'Use any, read-write or primary.');
}

function placeOf(host: string, port: number, hasParameter: boolean): string {
  if (host.startsWith('/')) return hasParameter ? '' : encodeURIComponent(host);
  return (host.includes(':') ? `[${host}]` : host) + (String(port) === DEFAULT_PORT ? '' : `:${port}`);
}

/** A host and its port as they are written; both may be empty. */
interface Place {
  readonly host: string;
  readonly port: string;
}

/** Takes an address apart. The standard knows no lists of hosts, and no user without a host. */
function parseUrl(text: string): { readonly url: URL; readonly places: readonly Place[] } {
  const [, scheme, authority = '', rest] = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/s.exec(text) ?? [];
  const at = authority.lastIndexOf('@') + 1;
  const written = authority.length === at ? [] : listOf(authority.slice(at));
  const parts = written.map((place) => /^(?:\[(.*)\]|([^:[\]]*))(?::(\d*))?$/.exec(place));
  const url = `${scheme ?? ''}${authority.slice(0, at)}localhost${rest ?? ''}`;
  // The address may contain a password, so the error of the parser is not shown.
  if (!URL.canParse(url) || parts.includes(null))
    throw usage(
      '--store or BERTH_STORE is not the address of a PostgreSQL database',
      'Write it as postgres://USER@HOST:PORT/DATABASE.',
    );
  const places = parts.map((part) => ({ host: decoded(part?.[1] ?? part?.[2] ?? ''), port: part?.[3] ?? '' }));
  return { url: new URL(url), places };
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

/** True for this machine: nobody else can read the connection. */
const isLocal = (host: string): boolean => host.startsWith('/') || host === '::1' || isLoopback(host);

/**
 * As `tlsOf`, for a mode from a service file or PGSSLMODE. A unix socket ignores the mode; `allow` and `prefer` mean that berth
 * decides.
 */
const usualTls = (host: string, mode: string | undefined, name: string): StoreHost['tls'] =>
  tlsOf(host, host.startsWith('/') || mode === 'allow' || mode === 'prefer' ? undefined : mode, name);

/** `name` is what the mode was set by, for messages. */
function tlsOf(host: string, mode: string | undefined, name: string): StoreHost['tls'] {
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

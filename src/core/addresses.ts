import { type Failure, usage } from './failure.ts';

export interface Address {
  /** `https://host:port`, without a default port. */
  readonly origin: string;
  /** The start of every request's path, without a trailing slash: empty, or `/some/prefix`. */
  readonly prefix: string;
}

/** Ports that web clients never connect to, because they belong to other protocols (Fetch standard, "bad port"). */
export const REFUSED_PORTS: readonly number[] = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/** Fails with usage (2). `what` names the setting in messages, which never repeat user info. */
export function parseAddress(text: string, what: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw usage(`${what} is not an http or https address`, 'Write it in full, such as https://api.example.com.');
  const refuse = (reason: string): Failure =>
    usage(`${what} cannot be used: ${reason}`, 'Write scheme, host and path only, such as https://api.example.com.');
  if (url.username !== '' || url.password !== '') throw refuse('it holds a user name or password');
  if (url.search !== '' || text.includes('?')) throw refuse('it holds a query');
  if (url.hash !== '' || text.includes('#')) throw refuse('it holds a fragment');
  if (REFUSED_PORTS.includes(portOf(url)))
    throw usage(
      `${what} cannot be used: web clients never connect to port ${portOf(url)}`,
      'That port belongs to another protocol. Let the service listen on a different one.',
    );
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

/** Fails with usage (2) as `parseAddress` does, and for plain http to another machine. */
export function parseKeyAddress(text: string, what: string): Address {
  const address = parseAddress(text, what);
  if (address.origin.startsWith('https:') || isOnThisMachine(address.origin)) return address;
  throw usage(
    `${what} is plain http to another machine: the key would travel in the clear`,
    'Use https. Plain http is for this machine only: localhost, 127.0.0.1 or [::1].',
  );
}

/** An address of the user's own, with path and query. Usage (2) unless it is https or of this machine. */
export function webAddress(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url !== undefined && isSafe && url.username === '' && url.password === '') return url;
  throw usage(`invalid ${what}: use https without a user name; plain http is for this machine only`);
}

/** Not names below `localhost`, nor `::ffff:127.0.0.1`: a resolver or routing table decides those. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);

/** A local service on this machine serves only plain http. */
export function isOnThisMachine(address: string | undefined): boolean {
  if (address === undefined || !URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && isLoopback(hostname);
}

/** Whether an address ends in a version, such as `/v2`. That is a mistake: every path already starts with its version. */
export const endsInVersion = (address: string): boolean => /\/v\d+\/*$/.test(address.trim());

const portOf = (url: URL): number => (url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port));

export const DATA_CENTER = '{data-center}';

/** Fails with usage (2) as `parseKeyAddress` does, and for any placeholder except `{data-center}`. */
export const checkStorageAddress = (text: string, what: string): Address => storageAddressAt(text, 'data-center', what);

export function storageAddressAt(text: string, dataCenter: string, what: string): Address {
  const [other] = /\{[^{}]*\}?|\}/.exec(text.replaceAll(DATA_CENTER, '')) ?? [];
  if (other !== undefined)
    throw usage(
      `${what} cannot be used: it holds ${JSON.stringify(other)}`,
      `The only placeholder is ${DATA_CENTER}, which stands for the data center of the volume.`,
    );
  return parseKeyAddress(text.trim().replaceAll(DATA_CENTER, dataCenter), what);
}

export function boundAddress<A extends object>(server: { address(): A | string | null }): A {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address;
}

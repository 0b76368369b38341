import { usage } from './failure.ts';

export interface Address {
  /** `https://host:port`, without a default port. */
  readonly origin: string;
  /** The start of every request's path, without a trailing slash: empty, or `/some/prefix`. */
  readonly prefix: string;
}

/** Fails with usage (2). `what` names the setting in messages, which never repeat user info. */
export function parseAddress(text: string, what: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw usage(`${what} is not an http or https address`, 'Write it in full, such as https://api.example.com.');
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text))
    throw usage(
      `${what} cannot have a user name, a password, a query or a fragment`,
      'Write scheme, host and path only, such as https://api.example.com.',
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

/** Fails with usage (2) as `parseKeyAddress` does, and for any placeholder except `{data-center}`. */
export function storageAddressAt(text: string, dataCenter: string, what: string): Address {
  const address = text.trim().replaceAll('{data-center}', dataCenter);
  const [other] = /\{[^{}]*\}?|\}/.exec(address) ?? [];
  if (other !== undefined)
    throw usage(
      `${what} cannot be used: it holds ${JSON.stringify(other)}`,
      'The only placeholder is {data-center}, which stands for the data center of the volume.',
    );
  return parseKeyAddress(address, what);
}

export function boundAddress<A extends object>(server: { address(): A | string | null }): A {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address;
}

import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Clock } from '../../core/context.ts';
import { asError } from '../../core/failure.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { WebhookRefused } from './due-deliveries.ts';

/** Addresses outside the public internet, multicast included (IANA special-purpose registries). */
const PRIVATE_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];

/** All but 2000::/3, the public internet, and the special-purpose networks in it. */
const PRIVATE_IPV6 = ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '3fff::/20'];

/** IPv6 prefixes that contain an IPv4 address, and the number of 16-bit groups before it. */
const EMBEDDED: readonly (readonly [string, number])[] = [
  ['::/96', 6],
  ['::ffff:0:0/96', 6],
  ['64:ff9b::/96', 6],
  ['2002::/16', 1],
];

const listOf = (subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net = '', bits = ''] = subnet.split('/');
    list.addSubnet(net, Number(bits), family);
  }
  return list;
};

/** `own`: this machine. `private`: not public internet. IPv4 inside IPv6 counts as the IPv4 address. */
export function kindOfAddress(address: string): 'own' | 'private' | 'public' {
  const plain = address.replace(/%.*$/, '');
  const inner = isIPv6(plain) ? embeddedIPv4(plain) : undefined;
  if (inner !== undefined && plain !== '::' && plain !== '::1') return kindOfAddress(inner);
  if (isIPv4(plain)) {
    if (/^(?:127|0)\./.test(plain) || isOfInterface(plain, 'ipv4')) return 'own';
    return listOf(PRIVATE_IPV4, 'ipv4').check(plain) ? 'private' : 'public';
  }
  if (!isIPv6(plain)) return 'private';
  if (listOf(['::/127'], 'ipv6').check(plain, 'ipv6') || isOfInterface(plain, 'ipv6')) return 'own';
  return listOf(PRIVATE_IPV6, 'ipv6').check(plain, 'ipv6') ? 'private' : 'public';
}

function isOfInterface(address: string, family: 'ipv4' | 'ipv6'): boolean {
  const own = new BlockList();
  for (const entry of Object.values(networkInterfaces()).flatMap((entries) => entries ?? []))
    if (entry.family.toLowerCase() === family) own.addAddress(entry.address.replace(/%.*$/, ''), family);
  return own.check(address, family);
}

function embeddedIPv4(address: string): string | undefined {
  const found = EMBEDDED.find(([subnet]) => listOf([subnet], 'ipv6').check(address, 'ipv6'));
  if (found === undefined) return undefined;
  const groups = groupsOf(address).slice(found[1], found[1] + 2);
  return groups.flatMap((group) => [group >> 8, group & 255]).join('.');
}

/** The eight groups of an IPv6 address. The URL parser normalizes it: `::ffff:127.0.0.1` becomes `::ffff:7f00:1`. */
function groupsOf(address: string): readonly number[] {
  const text = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const read = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const before = read(head);
  const after = read(tail ?? '');
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

const TIMEOUT_MS: Milliseconds = 10_000;

/** All its addresses; rejects when there is none. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

interface WebhookOptions {
  readonly clock: Clock;
  /** Webhooks must not reach it on any address of this machine. */
  readonly ownPort: number;
  /** Allows other ports of this machine, and private networks. */
  readonly allowPrivate: boolean;
  readonly resolve?: Resolve | undefined;
}

export type SendWebhook = (url: string, body: string) => Promise<number>;

/** Checks each address on connect (DNS rebinding); no redirects. Rejects with WebhookRefused. */
export function createWebhookSender(options: WebhookOptions): SendWebhook {
  const { clock, allowPrivate, ownPort, resolve = resolveBySystem } = options;

  const check = (address: string, port: number): void => {
    const kind = kindOfAddress(address);
    if (kind === 'own' && port === ownPort) throw new WebhookRefused('it leads to the local service itself');
    if (kind !== 'public' && !allowPrivate)
      throw new WebhookRefused(
        `${address} is ${kind === 'own' ? 'this machine' : 'in a private network'}; --allow-private-webhooks lets it through`,
      );
  };

  return async (text, body) => {
    const url = new URL(text);
    const secure = url.protocol === 'https:';
    const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    // An IP address is not looked up, so it is checked here.
    if (isIP(host) !== 0) check(host, port);

    const lookup: LookupFunction = (name, { all }, done) => {
      resolve(name)
        .then((addresses) => {
          const [first] = addresses;
          if (first === undefined) throw new Error(`${name} has no address`);
          for (const { address } of addresses) check(address, port);
          if (all === true) done(null, [...addresses]);
          else done(null, first.address, first.family);
        })
        .catch((error: unknown) => {
          done(asError(error), '', 0);
        });
    };

    const deadline = clock.deadline(TIMEOUT_MS);
    try {
      return await new Promise<number>((answered, failed) => {
        const sent = (secure ? secureRequest : plainRequest)(url, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
          // A new connection: a kept-alive one would not be checked.
          agent: false,
          lookup,
          signal: deadline.signal,
        });
        sent.once('error', failed);
        sent.once('response', (answer) => {
          answered(answer.statusCode ?? 0);
          answer.destroy();
        });
        sent.end(body);
      });
    } finally {
      deadline.cancel();
    }
  };
}

const resolveBySystem: Resolve = (name) =>
  new Promise((resolve, reject) => {
    systemLookup(name, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });

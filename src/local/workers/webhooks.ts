import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Clock } from '../../core/context.ts';
import { asError } from '../../core/failure.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { WebhookRefused } from './runner.ts';

/** Outside the public internet, multicast included (IANA special-purpose registries). */
const PRIVATE_IPV4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3';
/** All but 2000::/3, the public internet, and in it the special-purpose networks and 6to4, which can name any IPv4. */
const PRIVATE_IPV6 = '::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20';

function addressesOf(subnets: string): BlockList {
  const list = new BlockList();
  for (const subnet of subnets.split(' ')) {
    const [net = '', bits = ''] = subnet.split('/');
    list.addSubnet(net, Number(bits), isIPv6(net) ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** `own`: this machine. `private`: not public internet. */
export function kindOfAddress(address: string): 'own' | 'private' | 'public' {
  const plain = address.replace(/%.*$/, '');
  // An IPv4 address in one of IPv6 counts as itself. The URL parser writes it in two groups: `::ffff:7f00:1`.
  const [, high = '', low = ''] =
    /^(?:::|::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(normalized(plain)) ?? [];
  if (low !== '') return kindOfAddress([high, low].map(dotted).join('.'));
  const family = isIPv6(plain) ? 'ipv6' : 'ipv4';
  if (isIP(plain) === 0) return 'private';
  const own = addressesOf('127.0.0.0/8 0.0.0.0/8 ::/127');
  for (const entry of Object.values(networkInterfaces()).flatMap((entries) => entries ?? []))
    own.addAddress(entry.address.replace(/%.*$/, ''), isIPv6(entry.address) ? 'ipv6' : 'ipv4');
  if (own.check(plain, family)) return 'own';
  return addressesOf(family === 'ipv4' ? PRIVATE_IPV4 : PRIVATE_IPV6).check(plain, family) ? 'private' : 'public';
}

const normalized = (address: string): string =>
  isIPv6(address) ? new URL(`http://[${address}]/`).hostname.slice(1, -1) : '';

const dotted = (group: string): string => {
  const value = Number.parseInt(group, 16);
  return `${String(value >> 8)}.${String(value & 255)}`;
};

const TIMEOUT_MS: Milliseconds = 10_000;

export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

interface WebhookOptions {
  readonly clock: Clock;
  readonly ownPort: number;
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

    const late = new AbortController();
    const cancel = clock.deadline(TIMEOUT_MS, late.abort.bind(late));
    try {
      return await new Promise<number>((answered, failed) => {
        const sent = (secure ? secureRequest : plainRequest)(url, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
          // A new connection: a kept-alive one would not be checked.
          agent: false,
          lookup,
          signal: late.signal,
        });
        sent.once('error', failed);
        sent.once('response', (answer) => {
          answered(answer.statusCode ?? 0);
          answer.destroy();
        });
        sent.end(body);
      });
    } finally {
      cancel();
    }
  };
}

const resolveBySystem: Resolve = (name) => systemLookup(name, { all: true });

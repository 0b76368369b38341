import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Clock } from '../../core/context.ts';
import { kindOfAddress } from './address.ts';
import { WebhookRefused } from './refused.ts';

/** How long a webhook's receiver may take: milliseconds. */
const DEADLINE_MS = 10_000;

/** Resolves a name to all of its addresses; rejects where there is none. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

export interface WebhookOptions {
  readonly clock: Clock;
  /** The port this service is served on: no webhook reaches it on any address of this machine. */
  readonly ownPort: number;
  /** Lets webhooks reach other ports of this machine, and private networks. */
  readonly allowPrivate: boolean;
  readonly resolve?: Resolve | undefined;
}

/** POSTs a JSON text and gives the answer's status. */
export type PostWebhook = (url: string, body: string) => Promise<number>;

/**
 * Sends webhooks. Rejects with WebhookRefused for an address that none may reach, and with the error of the connection
 * where no answer came. The address is checked as the connection is made, so that a name cannot lead elsewhere after
 * the check. Redirects are not followed.
 */
export function createWebhookPost(options: WebhookOptions): PostWebhook {
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
    // An address is never looked up.
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
          done(error as Error, '', 0);
        });
    };

    const deadline = clock.deadline(DEADLINE_MS);
    try {
      return await new Promise<number>((answered, failed) => {
        const sent = (secure ? secureRequest : plainRequest)(url, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
          // A connection of its own: a kept one would not be checked.
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

import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Clock } from '../../core/context.ts';
import { kindOfAddress } from './kind-of-address.ts';
import { WebhookRefused } from './refused.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { asError } from '../../core/failure.ts';

/** The timeout of one delivery. */
const TIMEOUT_MS: Milliseconds = 10_000;

/** Resolves a host name to all its addresses; rejects when there is none. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

export interface WebhookOptions {
  readonly clock: Clock;
  /** The port of this service. Webhooks must not reach it on any address of this machine. */
  readonly ownPort: number;
  /** Allows other ports of this machine, and private networks. */
  readonly allowPrivate: boolean;
  readonly resolve?: Resolve | undefined;
}

/** Sends a JSON text with POST and returns the status of the answer. */
export type SendWebhook = (url: string, body: string) => Promise<number>;

/**
 * Sends webhooks. Rejects with WebhookRefused when the address is not allowed, and with the connection's error when there is
 * no answer. Each address is checked when the connection is made, so that a name cannot resolve to another one after the
 * check (DNS rebinding). Redirects are not followed.
 */
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

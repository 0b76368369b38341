import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure } from '../../../core/failure.ts';
import { stringAt, tryDecodeJson } from '../../../core/json.ts';
import type { Delivery, HeaderPair, NewWebhook, StoredWebhook, Webhooks } from '../../../core/ports/webhooks.ts';
import type { CommandContext } from '../../../cli/model/context.ts';

/** The service tries up to 2 more times, 10 s apart, until the answer is 200. */
const ATTEMPTS = 3;
const BETWEEN_ATTEMPTS_MS = 10_000;

/** Whether an attempt counts as delivered: for the service only an answer of 200 does. */
export const isDelivered = ({ status }: Delivery): boolean => status === 200;

/** Posts once, and records what became of it. Fails only with the interrupt and where it cannot be recorded. */
export async function deliverOnce(
  ctx: CommandContext,
  webhooks: Webhooks,
  { id, headers }: Pick<StoredWebhook, 'id' | 'headers'>,
  to: string,
  body: Uint8Array,
): Promise<Delivery> {
  const attempt = await attemptOf(ctx, webhooks, to, headers, body);
  // eslint-disable-next-line no-restricted-syntax -- a date: it is shown
  const delivery = { at: Math.round(ctx.clock.now()), to, ...attempt };
  await webhooks.record(id, delivery);
  return delivery;
}

async function attemptOf(
  ctx: CommandContext,
  webhooks: Webhooks,
  to: string,
  headers: readonly HeaderPair[],
  body: Uint8Array,
): Promise<Pick<Delivery, 'status' | 'error'>> {
  try {
    return { status: await webhooks.post(to, headers, body) };
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    return { error: error.message };
  }
}

/** Keeps the webhook of a job that has ended, and posts it as the service would, with its retries. Returns the last attempt. */
export async function postResult(ctx: CommandContext, webhooks: Webhooks, to: string, document: string) {
  const body = Buffer.from(document, 'utf8');
  const webhook = await webhooks.add({
    ...factsOf(body),
    source: 'made',
    target: new URL(to).pathname,
    headers: [['Content-Type', 'application/json']],
    to,
    body,
  });
  for (let attempt = 1; ; attempt++) {
    const delivery = await deliverOnce(ctx, webhooks, webhook, to, body);
    if (isDelivered(delivery) || attempt === ATTEMPTS) return { webhook, delivery };
    await ctx.tell(`${whyNot(delivery)}; ${to} is tried again in 10 s`);
    await ctx.clock.sleep(BETWEEN_ATTEMPTS_MS, ctx.signal);
  }
}

/** The failure (7) of an attempt that did not deliver; undefined where it did. */
export const failureOf = (delivery: Delivery): Failure | undefined =>
  isDelivered(delivery)
    ? undefined
    : new Failure({
        code: 'not-delivered',
        exit: EXIT.unavailable,
        message: `not delivered to ${delivery.to ?? 'any address'}: ${whyNot(delivery)}`,
      });

/** Why an attempt did not deliver: a sentence without a final stop. */
const whyNot = ({ status, error }: Delivery): string =>
  error ?? (status === undefined ? 'no answer came' : `the receiver answered ${status} and not 200`);

/** The longest id and status that are read from a body, in characters. */
const MAX_WORD = 200;

/** The job that a body names, where it is one of the service. */
export function factsOf(body: Uint8Array): Pick<NewWebhook, 'job' | 'status'> {
  const document = tryDecodeJson(Buffer.from(body).toString('utf8'));
  const word = (path: string): string | undefined => stringAt(document, path)?.slice(0, MAX_WORD);
  return { job: word('id'), status: word('status') };
}

import { isInterrupt } from '../../core/failure.ts';
import type { Delivery, PostedRequest, StoredWebhook, Webhooks } from '../../core/ports/webhooks.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { manyOf } from '../../cli/model/output-schema.ts';
import { onlyWith, option } from '../../cli/model/params.ts';
import { untilAborted } from '../../cli/run/until-aborted.ts';
import { webhookAddress } from '../shared/webhooks/webhook-address.ts';
import { deliverOnce, factsOf, isDelivered } from '../shared/webhooks/deliver.ts';
import { WEBHOOK, webhookRow, webhookView } from './webhook-view.ts';

const DEFAULT_PORT = 4280;

/** `berth webhooks listen`: receives webhooks on this machine. */
export const listen = defineCommand({
  summary: 'receive webhooks on this machine: show, keep and forward them',
  changesMachine: true,
  waits: true,
  output: manyOf(WEBHOOK),
  details:
    'Runs until Ctrl-C, and then ends with 130; what was received is kept. The address is printed on stderr. Each webhook is kept on this machine with its headers and its body, byte for byte (the last 1,000, at most 256 MB), and is a row on stdout. With --forward-to it is posted on with the same body and headers, and the sender gets the status of that answer, or 502 where none came; without it the sender gets 200. The service posts again after 10 s, up to twice, until it gets 200.\nRequests of web pages are refused, and bodies of more than 25 MB. Point the local service here with `berth local serve --allow-private-webhooks`; for a service elsewhere, a tunnel of your choice leads here.',
  options: {
    port: option.count('the port; 0 chooses a free one', 0, { most: 65_535, initial: DEFAULT_PORT }),
    host: option.text('the address to listen at; anything but loopback lets other machines post (default 127.0.0.1)', {
      metavar: 'ADDRESS',
    }),
    forwardTo: option.text('post each webhook on to this address', { metavar: 'URL' }),
    failFirst: option.count('answer 500 to the first N posts about each job, and do not forward them', 1),
    duplicate: onlyWith(['forwardTo'], option.on('forward each webhook twice')),
  },
  examples: [
    ['berth webhooks listen --forward-to http://127.0.0.1:3000/hook', 'see what your program gets'],
    ['berth webhooks listen --forward-to http://127.0.0.1:3000/hook --fail-first 1 --duplicate', 'try its retries'],
  ],
  run: async (ctx, values) => {
    const { host = '127.0.0.1' } = values;
    const forwardTo = values.forwardTo === undefined ? undefined : webhookAddress(values.forwardTo, '--forward-to');
    const webhooks = await ctx.webhooks();
    const rows = ctx.rows(webhookView);
    const receive = createReceiver(ctx, webhooks, { ...values, forwardTo });
    const take = async (request: PostedRequest): Promise<number> => {
      const { webhook, answer } = await receive(request);
      await rows.row(webhookRow(webhook, answer));
      return answer;
    };
    const open = new Set<Promise<number>>();
    let breakOff: (error: unknown) => void = () => undefined;
    const broken = new Promise<never>((_, reject) => (breakOff = reject));
    const server = await webhooks.listen({
      host,
      port: values.port ?? DEFAULT_PORT,
      onPost: async (request) => {
        const work = take(request);
        open.add(work);
        try {
          return await work;
        } catch (error) {
          breakOff(error);
          throw error;
        } finally {
          open.delete(work);
        }
      },
      onRefused: (reason) => void ctx.tell(`Refused: ${reason}.`),
    });
    try {
      await ctx.tell(
        `Listening at ${server.url}${forwardTo === undefined ? '' : `, forwarding to ${forwardTo}`}. Ctrl-C ends it.`,
      );
      if (!/^http:\/\/(127\.|\[::1\])/.test(server.url)) await ctx.tell('Other machines can post to this address.');
      return await untilAborted(ctx.signal, broken);
    } catch (error) {
      if (!isInterrupt(error)) throw error;
      return { kind: 'nothing', exit: error.exit };
    } finally {
      await server.stop();
      // What is being received is kept and shown.
      await Promise.allSettled(open);
      await rows.close();
    }
  },
});

interface ReceiverOptions {
  readonly forwardTo: string | undefined;
  readonly failFirst: number | undefined;
  readonly duplicate: boolean;
}

/** How many jobs are counted for `--fail-first`; beyond that the oldest count is forgotten. */
const MAX_COUNTED = 10_000;

/** Returns what keeps one webhook and forwards it, and says what its sender is answered. */
function createReceiver(
  ctx: CommandContext,
  webhooks: Webhooks,
  { forwardTo, failFirst = 0, duplicate }: ReceiverOptions,
) {
  const posts = new Map<string, number>();
  const isToFail = (about: string): boolean => {
    const count = (posts.get(about) ?? 0) + 1;
    posts.delete(about);
    posts.set(about, count);
    const [oldest] = posts.keys();
    if (posts.size > MAX_COUNTED && oldest !== undefined) posts.delete(oldest);
    return count <= failFirst;
  };
  return async (request: PostedRequest): Promise<{ readonly webhook: StoredWebhook; readonly answer: number }> => {
    const kept = await webhooks.add({ ...request, ...factsOf(request.body), source: 'received', to: forwardTo });
    const ended = (answer: number, deliveries: readonly Delivery[]) => ({ webhook: { ...kept, deliveries }, answer });
    if (isToFail(kept.job ?? request.target)) {
      // eslint-disable-next-line no-restricted-syntax -- a date: it is shown
      const delivery = { at: Math.round(ctx.clock.now()), error: 'refused on purpose (--fail-first)' };
      await webhooks.record(kept.id, delivery);
      return ended(500, [delivery]);
    }
    if (forwardTo === undefined) return ended(200, []);
    const deliveries: Delivery[] = [];
    for (const _ of duplicate ? [1, 2] : [1])
      deliveries.push(await deliverOnce(ctx, webhooks, kept, forwardTo, request.body));
    const answering = deliveries.find(isDelivered) ?? deliveries.at(-1);
    return ended(answering?.status ?? 502, deliveries);
  };
}

import { EXIT } from '../../core/exit-codes.ts';
import { Failure, usage } from '../../core/failure.ts';
import { berth, sentence } from '../../core/message.ts';
import type { StoredWebhook } from '../../core/ports/webhooks.ts';
import { OUTCOMES } from '../../cli/model/common-schemas.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { arg, option } from '../../cli/model/params.ts';
import { outcomeResult, type Outcome } from '../../cli/resource/several/outcomes.ts';
import { webhookAddress } from '../shared/webhooks/webhook-address.ts';
import { deliverOnce, failureOf } from '../shared/webhooks/deliver.ts';
import { select } from './select.ts';

/** `berth webhooks replay`: posts what is kept again. */
export const replay = defineCommand({
  summary: 'post webhooks again that this machine keeps',
  changesMachine: true,
  output: OUTCOMES,
  details:
    'Each is posted once, with the body and the headers that it came with, to --to or to where it was forwarded before. Delivered is what is answered with 200.',
  args: { webhook: arg.any('ids, as `berth webhooks list` shows them') },
  options: {
    failed: option.on('those that did not reach their receiver'),
    since: option.duration('all of this last span; with --failed, only those that failed', 's'),
    to: option.text('where to post them', { metavar: 'URL' }),
  },
  examples: [
    ['berth webhooks replay --failed', 'your program runs again'],
    ['berth webhooks replay --since 1h --to http://127.0.0.1:3000/hook', 'the last hour, to another address'],
  ],
  run: async (ctx, values) => {
    const { webhook: ids, failed, since } = values;
    const to = values.to === undefined ? undefined : webhookAddress(values.to, '--to');
    if (ids.length === 0 && !failed && since === undefined)
      throw usage('nothing says which webhooks', 'Give ids, --failed or --since 1h.');
    if (ids.length > 0 && (failed || since !== undefined))
      throw usage('ids and --failed or --since exclude each other', 'Give one of them.');
    const webhooks = await ctx.webhooks();
    const all = await webhooks.list();
    const chosen: readonly (string | StoredWebhook)[] =
      ids.length > 0
        ? [...new Set(ids)].map((id) => all.find((each) => each.id === id) ?? id)
        : select(ctx, all, { failed, since });
    const outcomes: Outcome[] = [];
    for (const each of chosen) {
      if (typeof each === 'string') {
        outcomes.push({ id: each, failure: notKept(each) });
        continue;
      }
      const target = to ?? each.deliveries.findLast((delivery) => delivery.to !== undefined)?.to ?? each.to;
      if (target === undefined) {
        outcomes.push({
          id: each.id,
          failure: usage(`webhook ${each.id} was not forwarded before`, 'Say where to: --to URL'),
        });
        continue;
      }
      const delivery = await deliverOnce(ctx, webhooks, each, target, await webhooks.body(each));
      outcomes.push({ id: each.id, name: each.job, failure: failureOf(delivery) });
    }
    if (outcomes.length === 0) await ctx.tell('There is no such webhook.');
    return outcomeResult(ctx, 'webhook', outcomes, 'posted');
  },
});

const notKept = (id: string): Failure =>
  new Failure({
    code: 'not-found',
    exit: EXIT.notFound,
    message: `webhook ${id} is not kept here`,
    hint: sentence`See them with: ${berth`webhooks list`}`,
  });

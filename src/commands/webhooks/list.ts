import { defineCommand } from '../../cli/model/command.ts';
import { manyOf } from '../../cli/model/output-schema.ts';
import { option } from '../../cli/model/params.ts';
import { select } from './select.ts';
import { WEBHOOK, webhookRow, webhookView } from './webhook-view.ts';

/** `berth webhooks list`: the webhooks that this machine keeps. */
export const list = defineCommand({
  summary: 'list the webhooks that this machine keeps, the latest first',
  output: manyOf(WEBHOOK),
  details: 'The body of each is in the file that --json names, as it was sent.',
  options: {
    failed: option.on('only those that did not reach their receiver, the latest about each job'),
    since: option.duration('only those of this last span', 's'),
  },
  examples: [
    ['berth webhooks list', 'what came?'],
    ['berth webhooks list --failed --since 1h', 'what to send again'],
  ],
  run: async (ctx, { failed, since }) => {
    const all = await (await ctx.webhooks()).list();
    return {
      kind: 'many',
      view: webhookView,
      values: select(ctx, all, { failed, since })
        .reverse()
        .map((each) => webhookRow(each)),
    };
  },
});

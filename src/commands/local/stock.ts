import { defineCommand, defineGroup } from '../../cli/model/command.ts';
import { arg, onlyWith, option } from '../../cli/model/params.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { itemsAt, type JsonObject, memberAt } from '../../core/json.ts';
import { usage } from '../../core/failure.ts';
import { text } from '../../output/cells.ts';
import type { Result, View } from '../../output/view.ts';
import { CLEARED, changed, sendControl } from './control.ts';
import { COUNT, manyOf, ownObject, TEXT } from '../../cli/model/output-schema.ts';
import { CLOUDS } from '../../cli/resource/collections.ts';
import { changeResult, textColumn } from '../../cli/resource/fields.ts';

const STOCK = manyOf(ownObject({ hardware: TEXT, dataCenter: TEXT, free: COUNT }));

const stockView: View = {
  noun: ['stock', 'stock'],
  id: (row) => text(row, 'hardware'),
  members: ['hardware', 'dataCenter', 'free'],
  columns: [textColumn('hardware'), textColumn('dataCenter'), textColumn('free', { right: true })],
};

const HARDWARE = arg.text('a GPU type or CPU flavor, as in berth catalog');

/** Times are by the service's clock. */
const SPAN_OPTIONS = {
  for: option.duration('only for this time; then as before', 's'),
  repeat: onlyWith(['for'], option.duration('and again each time this has passed, from now on', 's')),
};

export const stock = defineGroup('how much hardware is free: to see what happens when there is none', {
  list: defineCommand({
    output: () => STOCK,
    summary: 'list the free GPUs and vCPUs by data center',
    examples: [['berth local stock list', 'what pods can still be placed on']],
    run: async (ctx) => {
      const { value } = await sendControl(ctx, 'GET', ['stock'], { expects: { list: 'stock' } });
      return { kind: 'many', view: stockView, values: itemsAt(value, 'stock') };
    },
  }),
  set: defineCommand({
    output: () => STOCK,
    summary: 'set how much of some hardware is free',
    changesMachine: true,
    details:
      'Pods and workers are placed only where enough is free. A waiting worker whose hardware is taken is THROTTLED; what runs goes on.',
    args: {
      hardware: HARDWARE,
      free: arg.text('GPUs or vCPUs: a number, or none, low or high', { metavar: 'FREE' }),
    },
    options: {
      dataCenter: option.text('only in this data center (default: in all that have it)', { metavar: 'DC' }),
      ...SPAN_OPTIONS,
    },
    examples: [
      ['berth local stock set GPU-80G 0', 'no worker and no pod finds one any more'],
      ['berth local stock set GPU-80G none --data-center US-EAST-1 --for 10m', 'there is one again after 10 minutes'],
      ['berth local stock set GPU-24G none --for 20m --repeat 30m', 'for 10 minutes of each half hour there is some'],
    ],
    run: async (ctx, { hardware, free, dataCenter, for: forMs, repeat: everyMs }) =>
      await change(ctx, 'stock', { hardware, free: amountOf(free), dataCenter, forMs, everyMs }),
  }),
  price: defineCommand({
    output: () => STOCK,
    summary: 'set what an hour of a GPU or a vCPU costs',
    changesMachine: true,
    details: 'Pods that are there keep the price that they were created at.',
    args: { hardware: HARDWARE, price: arg.text('US dollars an hour', { metavar: 'DOLLARS' }) },
    options: {
      cloud: option.choice('only on this cloud (default: on both)', CLOUDS),
      ...SPAN_OPTIONS,
    },
    examples: [['berth local stock price GPU-80G 1.50 --for 1h', 'cheaper for an hour']],
    run: async (ctx, { hardware, price, cloud, for: forMs, repeat: everyMs }) => {
      if (!/^\d{1,6}(\.\d{1,4})?$/.test(price))
        throw usage(`DOLLARS is an amount, not ${JSON.stringify(price)}`, 'Write 2.39.');
      return await change(ctx, 'prices', { hardware, price: Number(price), cloud, forMs, everyMs });
    },
  }),
  clear: defineCommand({
    output: () => CLEARED,
    summary: 'set all stock and prices back to what a new account sees',
    changesMachine: true,
    examples: [['berth local stock clear', 'all of it']],
    run: async (ctx) => {
      await sendControl(ctx, 'DELETE', ['stock']);
      return changed(ctx, changeResult(ctx, { cleared: 'all' }, []));
    },
  }),
});

/** So that the catalog shows the word for one GPU. */
const AMOUNTS: Readonly<Record<string, number>> = { none: 0, low: 2, high: 1000 };

/** Usage (2). */
function amountOf(given: string): number {
  const amount = /^\d{1,7}$/.test(given) ? Number(given) : AMOUNTS[given.toLowerCase()];
  if (amount !== undefined) return amount;
  throw usage(`FREE is a whole number, not ${JSON.stringify(given)}`, 'Or write none, low or high.');
}

async function change(
  ctx: CommandContext,
  of: 'stock' | 'prices',
  body: JsonObject & { readonly hardware: string },
): Promise<Result> {
  const { value } = await sendControl(ctx, 'POST', [of], { body });
  const values = itemsAt(value, 'stock').filter((row) => memberAt(row, 'hardware') === body.hardware);
  return changed(ctx, { kind: 'many', view: stockView, values });
}

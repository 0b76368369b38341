import { defineCommand, defineGroup } from '../../cli/model/command.ts';
import { arg, option } from '../../cli/model/params.ts';
import { itemsAt, type Json, memberAt } from '../../core/json.ts';
import type { ApiAnswer } from '../../core/api.ts';
import { usage } from '../../core/failure.ts';
import { text } from '../../output/cells/cell-functions.ts';
import type { Result, View } from '../../output/view.ts';
import { changed, sendControl } from './control.ts';
import { textColumn } from '../../cli/resource/fields/detail-lines.ts';
import { STOCK } from './schemas.ts';

const stockView: View = {
  noun: ['stock', 'stock'],
  id: text('hardware'),
  members: ['hardware', 'dataCenter', 'free'],
  columns: [textColumn('hardware'), textColumn('dataCenter'), textColumn('free', { right: true })],
};

const rowsOf = ({ value, text: source }: ApiAnswer, keep: (row: Json) => boolean = () => true): Result => {
  const all = itemsAt(value, 'stock');
  const values = all.filter(keep);
  const whole = values.length === all.length ? { sources: [{ text: source, member: 'stock' }] } : {};
  return { kind: 'many', view: stockView, values, ...whole };
};

/** `berth local stock`: how much hardware is free, which decides where pods and workers can run. */
export const stock = defineGroup('how much hardware is free: to see what happens when there is none', {
  list: defineCommand({
    output: STOCK,
    summary: 'list the free GPUs and vCPUs by data center',
    examples: [['berth local stock list', 'what pods can still be placed on']],
    run: async (ctx) => rowsOf(await sendControl(ctx, 'GET', ['stock'], { expects: { list: 'stock' } })),
  }),
  set: defineCommand({
    output: STOCK,
    summary: 'set how much of some hardware is free',
    changesMachine: true,
    details:
      'Pods and workers are placed only where enough is free. A waiting worker whose hardware is taken is THROTTLED; what runs goes on.',
    args: {
      hardware: arg.text('a GPU type or CPU flavor, as in berth catalog'),
      free: arg.text('GPUs or vCPUs', { metavar: 'FREE' }),
    },
    options: { dataCenter: option.text('only in this data center (default: in all that have it)', { metavar: 'DC' }) },
    examples: [['berth local stock set GPU-80G 0', 'no worker and no pod finds one any more']],
    run: async (ctx, { hardware, free, dataCenter }) => {
      const body = { hardware, free: wholeNumber(free), dataCenter };
      const answer = await sendControl(ctx, 'POST', ['stock'], { body });
      return changed(
        ctx,
        rowsOf(answer, (row) => memberAt(row, 'hardware') === hardware),
      );
    },
  }),
  clear: defineCommand({
    summary: 'set all stock back to what a new account sees',
    changesMachine: true,
    examples: [['berth local stock clear', 'all of it']],
    run: async (ctx) => {
      await sendControl(ctx, 'DELETE', ['stock']);
      return changed(ctx, { kind: 'nothing', notes: ['All stock is as a new account sees it.'] });
    },
  }),
});

/** Fails with usage (2) when the text is not a whole number. */
function wholeNumber(given: string): number {
  if (/^\d{1,7}$/.test(given)) return Number(given);
  throw usage(`FREE is a whole number, not ${JSON.stringify(given)}`, 'Write 0 for none.');
}

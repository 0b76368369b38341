import { defineCommand } from '../../cli/model/command.ts';
import { limitOption } from '../../cli/resource/list.ts';
import { readMemory } from './memory.ts';
import { DECISIONS, decisionView } from './view.ts';

/** `berth guard history`: what the guards of this machine decided. */
export const history = defineCommand({
  summary: 'list what the guards of this machine did and reported, the latest first',
  details: 'It keeps the last 1000 decisions of the account; guard run --log keeps all of them in a file.',
  options: { limit: limitOption },
  output: DECISIONS,
  examples: [['berth guard history --json', 'with the reason of each decision']],
  run: async (ctx, { limit }) => {
    const { history: rows } = await readMemory(ctx);
    // Ages are of the service's time, as the rows are.
    await ctx.fetchServiceNow();
    return {
      kind: 'many',
      view: { ...decisionView, columns: decisionView.columns.map((column) => ({ ...column, wide: false })) },
      values: rows.toReversed().slice(0, limit),
    };
  },
});

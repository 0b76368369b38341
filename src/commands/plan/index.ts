import { EXIT } from '../../core/exit-codes.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { Result } from '../../output/view.ts';
import { PLAN_INPUT } from './input.ts';
import { makePlan } from './make-plan.ts';
import { refuseUnknown } from './refusals.ts';
import { planNotes, planRowOf } from './rows.ts';
import { PLAN, planView } from './plan-view.ts';

/** Writes nothing. */
export const plan = defineCommand({
  summary: 'compare what files describe with what is there',
  details:
    'Only members that a file gives are compared; null clears one. A thing is found by its kind and name, or by its id. Ends 0 when nothing differs, 16 when something does, 2 when a file is wrong. docs/guides/fleet-in-files.md',
  args: PLAN_INPUT.args,
  options: PLAN_INPUT.options,
  exits: [EXIT.planDiffers],
  output: PLAN,
  examples: [
    ['berth plan fleet.yaml', 'what differs, member by member'],
    ['berth plan fleet/ --env-from variables.env', 'all files of a folder, with variables'],
    ['berth plan fleet/ --set-name web --prune', 'what a prune would remove too'],
    ['berth plan fleet.yaml --json', 'in CI: ends 16 when something differs'],
  ],
  run: async (ctx, input): Promise<Result> => {
    const plan = await makePlan(ctx, input);
    const { planned, hidden } = plan;
    await refuseUnknown(ctx, planned);
    const differs = planned.some(({ item }) => item.action !== 'none');
    return {
      kind: 'many',
      view: planView,
      values: planned.map((each) => planRowOf(each, { texts: hidden, isSecret: ctx.output.isSecret })),
      notes: isTableOutput(ctx.output) ? planNotes(plan) : [],
      ...(differs ? { exit: EXIT.planDiffers } : {}),
    };
  },
});

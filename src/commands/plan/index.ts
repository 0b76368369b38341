import { EXIT } from '../../core/exit-codes.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { arg, onlyWith, option } from '../../cli/model/params.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { makePlan } from './make-plan.ts';
import { costLine } from './cost.ts';
import { countsOf, PLAN, planRows, planView } from './plan-view.ts';

/** `apply` has the same. */
export const PLAN_INPUT = {
  args: { files: arg.many('files, folders, or - for stdin', { metavar: 'FILE', complete: 'file' }) },
  options: {
    envFrom: option.texts('replace ${NAME} in the files by variables of this file', {
      metavar: 'FILE',
      complete: 'file',
    }),
    setName: option.text('mark what apply creates as this set (BERTH_SET)', { metavar: 'NAME' }),
    prune: onlyWith(['setName'], option.on('remove what is marked and in no file')),
  },
} as const;

const WORDS = { create: 'to create', update: 'to change', delete: 'to remove', blocked: 'blocked', none: 'unchanged' };

export const plan = defineCommand({
  summary: 'compare files with the account',
  details:
    'Compares only the members that a file gives; null clears one. A thing is found by kind and name, or by id. Ends 0 when nothing differs, 16 when something does. docs/guides/fleet-in-files.md',
  ...PLAN_INPUT,
  exits: [EXIT.planDiffers],
  output: PLAN,
  examples: [
    ['berth plan fleet.yaml', 'what differs, member by member'],
    ['berth plan fleet/ --env-from variables.env', 'all files of a folder, with variables'],
    ['berth plan fleet/ --set-name web --prune', 'what a prune would remove too'],
    ['berth plan fleet.yaml --json', 'in CI: ends 16 when something differs'],
  ],
  run: async (ctx, input) => {
    const made = await makePlan(ctx, input);
    const actions = made.planned.map(({ item }) => item.action);
    const notes = [countsOf(actions, WORDS) ?? 'The files hold no document.', costLine(made) ?? []].flat().join(' ');
    return {
      kind: 'many',
      view: planView,
      values: planRows(ctx, made),
      notes: isTableOutput(ctx.output) ? [notes] : [],
      ...(actions.some((action) => action !== 'none') ? { exit: EXIT.planDiffers } : {}),
    };
  },
});

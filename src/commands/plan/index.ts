import { EXIT } from '../../core/exit-codes.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { Result } from '../../output/view.ts';
import { option } from '../../cli/model/params.ts';
import { PLAN_INPUT } from './input.ts';
import { checkOut, writePlanFile } from './plan-file.ts';
import { makePlan } from './make-plan.ts';
import { refuseUnknown } from './refusals.ts';
import { planNotes, planRowOf } from './rows.ts';
import { PLAN, planView } from './plan-view.ts';

/** `berth plan`: how what is at the service differs from what files say. It writes nothing. */
export const plan = defineCommand({
  summary: 'compare what files describe with what is there',
  details:
    'It changes nothing. A file is YAML or JSON: what `get -o yaml` prints, and kind: pod, endpoint, template, volume or registry; several documents are separated by ---. Only members that a file gives are compared, and null clears one. A thing is found by its kind and name, or by its id. template, volume and registry may be names, of the files first. The cost is that of pods while they run, of volumes, and of workers that always run. It ends 0 when nothing differs, 16 when something does, and 2 when a file is wrong, also where it names a GPU type, a pool or a data center that there is not.',
  args: PLAN_INPUT.args,
  options: {
    ...PLAN_INPUT.options,
    out: option.text('keep the plan in a file, for berth apply FILE; it has no secrets', {
      metavar: 'FILE',
      complete: 'file',
    }),
  },
  exits: [EXIT.planDiffers],
  output: PLAN,
  examples: [
    ['berth plan fleet.yaml', 'what differs, member by member'],
    ['berth plan fleet/ --env-from variables.env', 'all files of a folder, with variables'],
    ['berth plan fleet/ --set-name web --prune --out plan.json', 'to look at, and to apply: berth apply plan.json'],
    ['berth plan fleet.yaml --json', 'a line of a CI job: 16 when something differs'],
  ],
  run: async (ctx, { out, ...input }): Promise<Result> => {
    await checkOut(ctx, input, out);
    const plan = await makePlan(ctx, input);
    const { planned, hidden } = plan;
    await refuseUnknown(ctx, planned);
    if (out !== undefined) await writePlanFile(ctx, out, input, plan);
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

import { formatDollars } from '../../core/units.ts';
import { formatTimestamp } from '../../core/text/timestamp.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { limitOption } from '../../cli/resource/list.ts';
import { countOf } from '../../cli/words/words.ts';
import { age, money } from '../../output/cells/cell-functions.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { Result, View } from '../../output/view.ts';
import { canReplay, replay } from '../../guard/decide/replay.ts';
import type { Policy } from '../../guard/policy/rules.ts';
import { readMemory } from './sweep/memory.ts';
import { hasPolicy, policyOf, POLICY_OPTIONS } from './options.ts';
import { DECISIONS, decisionRow, decisionView } from './sweep/decision-view.ts';

const view: View = {
  ...decisionView,
  columns: [...decisionView.columns, { header: 'AGE', show: age('at'), right: true }],
};

const replayView: View = {
  ...view,
  columns: [...view.columns, { header: 'SAVED', show: money('saved'), right: true }],
};

/** `berth guard history`: what the guards of this machine did, or what a policy would have done. */
export const history = defineCommand({
  summary: 'list what the guards of this machine did and reported, the latest first',
  details:
    'It keeps the last 1000 decisions of runs for the account; guard run --log keeps all of them in a file. With rules, it tells what they would have done in the last seven days, and what that would have saved, by the samples of the runs and checks of this machine: pods that no sample saw, sums of the account, jobs of endpoints and what is stored are not in it.',
  options: { ...POLICY_OPTIONS, limit: limitOption },
  output: DECISIONS,
  examples: [
    ['berth guard history --json', 'with the reason of each decision'],
    ['berth guard history --idle 2h', 'what this rule would have done'],
  ],
  run: async (ctx, { limit, ...values }) => {
    // Ages are of the service's time, as the rows are.
    await ctx.fetchServiceNow();
    if (hasPolicy(values)) return await wouldHave(ctx, await policyOf(ctx, values), limit);
    const { history: rows } = await readMemory(ctx);
    return {
      kind: 'many',
      view,
      values: rows.toReversed().slice(0, limit),
    };
  },
});

async function wouldHave(ctx: CommandContext, policy: Policy, limit: number | undefined): Promise<Result> {
  const { pods } = await readMemory(ctx);
  const { done, unknown, from } = replay(policy, pods);
  const saved = done.reduce((sum, each) => sum + (each.saved ?? 0), 0);
  const untold = policy.rules.filter(({ when }) => !canReplay(when)).map(({ name }) => name);
  const notes =
    from === undefined
      ? ['There is no sample yet: each guard check and guard run keeps one.']
      : [
          `By the samples since ${formatTimestamp(from)}, it would have ended ${countOf(done.length, 'start')} of pods, which cost ${formatDollars(saved)} after that.`,
          ...(unknown === 0 ? [] : [`Of ${countOf(unknown, 'other start')}, the samples are too few to tell.`]),
          ...(untold.length === 0
            ? []
            : [`Samples do not tell what these rules would have done: ${untold.join(', ')}.`]),
        ];
  return {
    kind: 'many',
    view: replayView,
    values: done.slice(0, limit).map(({ decision, at, saved: amount }) => ({
      ...decisionRow(ctx, decision, undefined, at),
      ...(amount === undefined ? {} : { saved: amount }),
    })),
    notes: isTableOutput(ctx.output) ? notes : [],
  };
}

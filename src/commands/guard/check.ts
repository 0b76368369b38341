import { EXIT } from '../../core/exit-codes.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { countOf } from '../../cli/words/words.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { Result } from '../../output/view.ts';
import { policyOf, POLICY_OPTIONS } from './options.ts';
import { exitOf, sweep, type Sweep } from './sweep.ts';
import { DECISIONS, decisionView } from './view.ts';

/** The result of one sweep: its decisions, and 15 where a rule applied. */
export function sweepResult(ctx: CommandContext, swept: Sweep): Result {
  const { rows, pods, failure } = swept;
  const nothing = `${countOf(pods, 'pod')}: no rule applies to any of them.`;
  return {
    kind: 'many',
    view: decisionView,
    values: rows,
    notes: rows.length === 0 && isTableOutput(ctx.output) ? [nothing] : [],
    exit: exitOf(ctx, swept),
    failure,
  };
}

/** `berth guard check`: what `guard run` would do. */
export const check = defineCommand({
  summary: 'report the pods that a deadline or a rule applies to',
  details:
    'It changes nothing at the service. Deadlines of pods (pods create --stop-after) are always looked at; flags or a policy file add rules. Each check is also a sample of what pods use, for --idle. It ends 0 when nothing is over a limit, and 15 when something is.',
  options: POLICY_OPTIONS,
  exits: [EXIT.limitExceeded],
  output: DECISIONS,
  examples: [
    ['berth guard check', 'deadlines that are over'],
    ['berth guard check --idle 2h --max-spent 20', 'and pods that idle, or cost too much'],
    ['berth guard check --policy guard.yaml --json', 'a line of a CI job: 15 when something is over'],
  ],
  run: async (ctx, values) => sweepResult(ctx, await sweep(ctx, { policy: await policyOf(ctx, values), acts: false })),
});

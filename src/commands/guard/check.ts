import { EXIT } from '../../core/exit-codes.ts';
import { memberAt, stringAt } from '../../core/json.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { countOf } from '../../cli/words/words.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { idOf, type Result } from '../../output/view.ts';
import { stoppedLines, wipedLines } from '../shared/rate/stopped-disks.ts';
import { SUBJECTS, type Policy, type Subject } from '../../guard/policy/rules.ts';
import { adviceOf } from './advice.ts';
import { appendLog, LOG_OPTION } from './log.ts';
import { policyOf, POLICY_OPTIONS } from './options.ts';
import { exitOf, sweep, type Sweep } from './sweep/sweep.ts';
import { DECISIONS, decisionViewOf } from './sweep/decision-view.ts';

/** The result of one sweep: its decisions, and 15 where a rule applied. `news` are those that a quiet table has. */
export function sweepResult(ctx: CommandContext, policy: Policy, swept: Sweep, news = swept.rows) {
  const { rows, subjects, failure } = swept;
  const [isQuiet, isTable] = [ctx.settings.get('quiet'), isTableOutput(ctx.output)];
  const nothing = rows.length === 0 ? [`${countsOf(subjects)}: no rule applies to any of them.`] : [];
  return {
    kind: 'many' as const,
    view: decisionViewOf(
      rows,
      subjects.map(({ row }) => row),
    ),
    // cron mails what is printed.
    values: isQuiet && isTable ? news.filter((row) => memberAt(row, 'verdict') === 'over') : rows,
    notes: isTable && !isQuiet ? [...nothing, ...stopNotes(ctx, swept), ...adviceOf(policy, swept)] : [],
    exit: exitOf(swept),
    failure,
  } satisfies Result;
}

/** What a stop has wiped, and what of the pods is paid on. */
function stopNotes(ctx: CommandContext, { rows, subjects }: Sweep): readonly string[] {
  const ids = new Set(rows.filter((row) => memberAt(row, 'result') === 'stopped').map((row) => stringAt(row, 'id')));
  const stopped = subjects.flatMap(({ row }) => (ids.has(idOf(row)) ? [row] : []));
  return [...wipedLines(ctx, stopped), ...stoppedLines(ctx, stopped)];
}

/** `12 pods, 3 endpoints`. */
export const countsOf = (subjects: readonly Subject[]): string =>
  SUBJECTS.map((kind) => [kind, subjects.filter((subject) => subject.kind === kind).length] as const)
    .filter(([kind, count]) => count > 0 || kind === 'pod')
    .map(([kind, count]) => countOf(count, kind))
    .join(', ');

/** `berth guard check`: what `guard run` would do. */
export const check = defineCommand({
  summary: 'report what a deadline or a rule applies to',
  details:
    'It changes nothing at the service. Deadlines of pods (pods create --stop-after) are always looked at; flags or a policy file add rules. Each check is also a sample of what pods use, for --idle, and of whether endpoints have jobs, for --without-jobs. It ends 0 when nothing is over a limit, and 15 when something is.',
  options: { ...POLICY_OPTIONS, ...LOG_OPTION },
  exits: [EXIT.limitExceeded],
  output: DECISIONS,
  examples: [
    ['berth guard check', 'deadlines that are over'],
    ['berth guard check --idle 2h --max-spent 20', 'and pods that idle, or cost too much'],
    ['berth guard check --without-jobs 1h --unused-storage', 'what else costs without being used'],
    ['berth guard check --policy guard.yaml --json', 'a line of a CI job: 15 when something is over'],
  ],
  run: async (ctx, { log, ...values }) => {
    const policy = await policyOf(ctx, values);
    const swept = await sweep(ctx, { policy, acts: false });
    await appendLog(ctx, log, swept.rows);
    return sweepResult(ctx, policy, swept);
  },
});

import { EXIT } from '../../core/exit-codes.ts';
import { isInterrupt, rethrowUnlessFailure } from '../../core/failure.ts';
import { type Json, memberAt, stringAt } from '../../core/json.ts';
import { type Message, sentence } from '../../core/message.ts';
import { formatDuration } from '../../core/units.ts';
import { defineCommand, textIn, type Values } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { notify } from '../../cli/notify.ts';
import { sameCommand } from '../../cli/run/same-command.ts';
import { every } from '../../cli/until.ts';
import { countOf } from '../../cli/words.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { Result } from '../../output/view.ts';
import type { Policy } from '../../guard/decide.ts';
import { IdleWatch } from '../../guard/idle.ts';
import { DECISIONS, decisionView } from './decision-view.ts';
import { GUARD_OPTIONS, idleLimitsOf, policyOf } from './options.ts';
import { sweep, type Sweep } from './sweep.ts';

export const run = defineCommand({
  summary: 'stop pods whose deadline is over, or that exceed a limit',
  details:
    'Looks once, for cron or a timer; stays with --every. If data is missing or inconsistent, it does nothing. Never touches locked pods or members of clusters. Ends 15 when something was over a limit.',
  options: GUARD_OPTIONS,
  exits: [EXIT.limitExceeded],
  output: DECISIONS,
  writes: true,
  destroys: true,
  notifies: true,
  // Depends on its decisions: each request is checked when sent.
  needs: 'read',
  examples: [
    ['berth guard run', 'once: for cron'],
    ['berth guard run --every 1m --idle 2h', 'and again each minute'],
    ["berth guard run --match 'nb-*' --max-running 12h --dry-run", 'what it would do, each with its request'],
  ],
  run: async (ctx, values) => {
    const [policy, limits] = [policyOf(values), idleLimitsOf(values)];
    const watch = limits === undefined ? undefined : new IdleWatch(limits);
    if (values.every !== undefined && !ctx.dryRun) return await sweepAgain(ctx, policy, watch, values);
    const swept = await sweep(ctx, policy, watch);
    const [isQuiet, isTable] = [ctx.settings.get('quiet'), isTableOutput(ctx.output)];
    const again = sameCommand({ args: {}, options: GUARD_OPTIONS }, values, ['guard', 'run']);
    const notes: readonly Message[] = [
      ...(isTable && swept.rows.length === 0 ? [checkedLine(swept)] : []),
      ...(ctx.dryRun ? [sentence`A dry run: nothing was stopped or changed. To do it: ${again}`] : []),
    ];
    return {
      kind: 'many',
      view: decisionView,
      // cron mails what is printed.
      values: isQuiet && isTable ? swept.rows.filter((row) => memberAt(row, 'verdict') === 'over') : swept.rows,
      notes: isQuiet ? [] : notes,
      exit: swept.isOver ? EXIT.limitExceeded : EXIT.done,
      failure: swept.failure,
    };
  },
});

const checkedLine = ({ pods, rows }: Sweep): string =>
  `Checked ${countOf(pods.length, 'pod')}: ${rows.length === 0 ? 'nothing to do' : `${rows.length} over a limit or unknown`}.`;

/** Until interrupted (130, no message); prints what is new. A failed look does not end it. */
async function sweepAgain(
  ctx: CommandContext,
  policy: Policy,
  watch: IdleWatch | undefined,
  values: Values,
): Promise<Result> {
  const rows = ctx.rows(decisionView);
  const [everyMs, target] = [Number(values['every']), textIn(values, 'notify')];
  let known: readonly Json[] = [];
  let isTold = false;
  try {
    for (;;) {
      const swept = await sweepUnlessFailed(ctx, policy, watch);
      if (swept !== undefined) {
        const news = swept.rows.filter((row) => isNews(row, known));
        await rows.rows(news);
        if (target !== undefined && news.length > 0) {
          const result: Result = { kind: 'many', view: decisionView, values: news, exit: EXIT.limitExceeded };
          await notify(ctx, target, [['guard', 'run'], { args: {} }, values], { result, tookMs: everyMs });
        }
        known = swept.rows;
      }
      const next = `${swept === undefined ? '' : `${checkedLine(swept)} `}Next check in ${formatDuration(everyMs)}`;
      // Without a terminal nothing else shows that it runs.
      if (swept !== undefined && !isTold) await ctx.tell(`${next}; only changes are printed.`);
      isTold ||= swept !== undefined;
      const progress = ctx.progress(next);
      try {
        await every(ctx, everyMs);
      } finally {
        await progress.stop();
      }
    }
  } catch (error) {
    if (ctx.signal.aborted && isInterrupt(error)) return { kind: 'nothing', exit: error.exit };
    throw error;
  } finally {
    await rows.close();
  }
}

async function sweepUnlessFailed(
  ctx: CommandContext,
  policy: Policy,
  watch: IdleWatch | undefined,
): Promise<Sweep | undefined> {
  try {
    return await sweep(ctx, policy, watch);
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    if (error.code === 'usage') throw error;
    await ctx.tell(`Nothing was done: ${error.message}`);
    return undefined;
  }
}

/** What was done is always new. */
const isNews = (row: Json, known: readonly Json[]): boolean =>
  ['stopped', 'terminated'].includes(stringAt(row, 'result') ?? '') ||
  !known.some((other) =>
    ['id', 'rule', 'startedAt', 'verdict', 'action', 'held', 'result'].every(
      (member) => memberAt(row, member) === memberAt(other, member),
    ),
  );

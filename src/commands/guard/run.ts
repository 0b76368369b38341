import { EXIT } from '../../core/exit-codes.ts';
import { isInterrupt, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import { type Json } from '../../core/json.ts';
import { sentence } from '../../core/message.ts';
import { formatDuration } from '../../core/units.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { yesOption } from '../../cli/model/common-options.ts';
import { option } from '../../cli/model/params.ts';
import { sameCommand } from '../../cli/run/same-command.ts';
import type { Result } from '../../output/view.ts';
import { longestInterval } from '../../guard/samples/idle.ts';
import type { Policy } from '../../guard/policy/rules.ts';
import { adviceOf, windowOf } from './advice.ts';
import { countsOf, sweepResult } from './check.ts';
import { policyOf, POLICY_OPTIONS } from './options.ts';
import { appendLog, LOG_OPTION } from './log.ts';
import { isNews } from './sweep/memory.ts';
import { endedIn, isAnyEnded, remainingAfterSweeps } from './sweep/remaining-rate.ts';
import { sweep, type Sweep } from './sweep/sweep.ts';
import { DECISIONS, decisionView } from './sweep/decision-view.ts';

/** A guard does not look more often: each sweep is a request for the whole list. */
const MIN_INTERVAL_MS: Milliseconds = 10_000;

const OPTIONS = {
  ...POLICY_OPTIONS,
  every: option.durationWithUnit(
    'sweep again after this time, at least 10s, until Ctrl-C; -o jsonl prints each decision on a line',
  ),
  ...LOG_OPTION,
  yes: yesOption,
};

/** `berth guard run`: one sweep that acts, or with `--every` one after the other. */
export const run = defineCommand({
  summary: 'do what deadlines and rules say: stop pods, scale endpoints to zero',
  details:
    'It sweeps once, for cron, a timer or a CI schedule; with --every it stays. Right before a pod is ended it is read again, and left alone when anything about it has changed. Nothing is done on doubt: a list that is not whole, numbers that are missing, clocks that disagree. Locked pods and members of clusters are never touched, and pods are terminated only with --allow-terminate. Volumes are only ever reported. More than --max-actions pods at once, or by rules more than half of those that run, is refused without --yes. It ends 0 when nothing was over a limit, and 15 when something was.',
  options: OPTIONS,
  exits: [EXIT.limitExceeded],
  output: DECISIONS,
  writes: true,
  destroys: true,
  // What it needs depends on its decisions: each request is checked when it is sent.
  needs: 'read',
  costs: true,
  examples: [
    ['berth guard run', 'once: for cron'],
    ['berth guard run --every 1m --idle 2h --log guard.jsonl', 'and again each minute'],
    [
      "berth guard run --match 'nb-*' --max-running 12h --dry-run",
      'what it would do, each with its request; it ends as the run would',
    ],
  ],
  run: async (ctx, given) => {
    const { every, log, ...values } = given;
    const policy = await policyOf(ctx, values);
    if (every !== undefined && !ctx.dryRun) return await sweepAgain(ctx, policy, every, log);
    const swept = await sweep(ctx, { policy, acts: true });
    if (!ctx.dryRun) await appendLog(ctx, log, swept.news);
    const result = sweepResult(ctx, policy, swept, ctx.dryRun ? swept.rows : swept.news);
    if (!ctx.dryRun) {
      const ended = endedIn(swept.rows);
      return { ...result, notes: [...result.notes, ...(await remainingAfterSweeps(ctx, ended, isAnyEnded(ended)))] };
    }
    if (ctx.settings.get('quiet')) return result;
    const again = sameCommand({ args: {}, options: OPTIONS }, given, ['guard', 'run']);
    return {
      ...result,
      notes: [...result.notes, sentence`A dry run: nothing was stopped or changed. To do it: ${again}`],
    };
  },
});

/**
 * Sweeps until it is interrupted (130, without a message), and prints what is new. A sweep that fails is said, and the next
 * one is made all the same; a refusal to end too many ends it (2).
 */
async function sweepAgain(
  ctx: CommandContext,
  policy: Policy,
  everyMs: Milliseconds,
  log: string | undefined,
): Promise<Result> {
  if (everyMs < MIN_INTERVAL_MS) throw usage(`--every is at least ${formatDuration(MIN_INTERVAL_MS)}`);
  for (const line of cannotFire(policy, everyMs)) await ctx.tell(line);
  const rows = ctx.rows(decisionView);
  let known: readonly Json[] = [];
  let isTold = false;
  let [last, hasEnded] = [endedIn([]), false];
  try {
    for (;;) {
      const swept = await sweepUnlessFailed(ctx, policy);
      const news = swept?.rows.filter((row) => isNews(row, known)) ?? [];
      if (swept !== undefined) known = swept.rows;
      last = endedIn(swept?.rows ?? []);
      hasEnded ||= isAnyEnded(last);
      await rows.rows(news);
      await appendLog(ctx, log, news);
      if (swept?.failure?.code === 'usage') throw swept.failure;
      const next = `the next sweep is in ${formatDuration(everyMs)}`;
      const line =
        swept === undefined
          ? next
          : `${countsOf(swept.subjects)}, ${swept.rows.length} over a limit or unknown; ${next}`;
      if (swept !== undefined && !isTold) {
        // Without a terminal nothing else says that it runs.
        await ctx.tell(`${line}. From now on, only what is new is printed.`);
        for (const each of adviceOf(policy, swept)) await ctx.tell(each);
        isTold = true;
      }
      const progress = ctx.progress(line);
      try {
        await ctx.clock.sleep(everyMs, ctx.signal);
      } finally {
        await progress.stop();
      }
    }
  } catch (error) {
    if (ctx.signal.aborted && isInterrupt(error)) return { kind: 'nothing', exit: error.exit };
    throw error;
  } finally {
    await rows.close();
    for (const line of await remainingAfterSweeps(ctx, last, hasEnded)) await ctx.tell(line);
  }
}

async function sweepUnlessFailed(ctx: CommandContext, policy: Policy): Promise<Sweep | undefined> {
  try {
    return await sweep(ctx, { policy, acts: true });
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    if (error.code === 'usage') throw error;
    await ctx.tell(`Nothing was done in this sweep: ${error.message}`);
    return undefined;
  }
}

/** Rules whose time the samples of this interval cannot cover. */
const cannotFire = ({ rules }: Policy, everyMs: Milliseconds): readonly string[] =>
  rules.flatMap((rule) => {
    const windowMs = windowOf(rule);
    if (windowMs === undefined || everyMs <= longestInterval(windowMs)) return [];
    const [whole, most] = [formatDuration(windowMs), formatDuration(longestInterval(windowMs))];
    return [`Rule ${rule.name} will not apply: ${whole} need a sample every ${most}.`];
  });

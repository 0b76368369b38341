import { EXIT } from '../../core/exit-codes.ts';
import { isInterrupt, rethrowUnlessFailure, usage } from '../../core/failure.ts';
import { type Json, memberAt, stringAt } from '../../core/json.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import { defineCommand } from '../../cli/model/command.ts';
import { ANYTHING, failureSchema, manyOf, oneOf, ownObject, TEXT, TIME } from '../../cli/model/output-schema.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { onlyWith, option, type Params, type ValuesOf } from '../../cli/model/params.ts';
import { notify } from '../../cli/notify.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { every } from '../../cli/until.ts';
import { countOf } from '../../cli/words.ts';
import { DEADLINE_ACTIONS } from '../../guard/deadline.ts';
import { GUARD_ACTIONS, IdleWatch, longestInterval, type Policy, RULES, VERDICTS } from '../../guard/decide.ts';
import { text } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { Cell, Result, View } from '../../output/view.ts';
import { RESULTS, sweep, type Sweep } from './sweep.ts';

const LIMITS = ['idle', 'maxAge', 'maxRunning', 'budget'] as const;

const OPTIONS = {
  idle: option.durationWithUnit('pods that were idle for this long, with --every'),
  maxAge: option.durationWithUnit('pods created longer ago than this'),
  maxRunning: option.durationWithUnit('pods started longer ago than this'),
  budget: option.dollars('all selected pods, once the account cost more this month'),
  match: onlyWith(
    LIMITS,
    option.texts("limits: only pods with a name like this pattern, such as 'train-*'", { metavar: 'GLOB' }),
  ),
  do: onlyWith(LIMITS, option.choice('limits: what is done (default stop)', DEADLINE_ACTIONS)),
  allowTerminate: option.on('deadlines and limits may terminate pods'),
  every: option.durationWithUnit('look again after this time, at least 10s, until Ctrl-C'),
} as const satisfies Params;

type GuardValues = ValuesOf<typeof OPTIONS>;

/** Each look requests the complete list. */
const MIN_INTERVAL_MS: Milliseconds = 10_000;

/** Usage (2), also if --every is too rare to tell that a pod is idle. */
function policyOf({ idle, every: everyMs, do: action = 'stop', ...values }: GuardValues): Policy {
  if (everyMs !== undefined && everyMs < MIN_INTERVAL_MS)
    throw usage(`--every is at least ${formatDuration(MIN_INTERVAL_MS)}`);
  if (idle !== undefined && (everyMs ?? Infinity) > longestInterval(idle))
    throw usage(
      `--idle ${formatDuration(idle)} needs --every, at most a tenth of it`,
      'A pod is idle only once it was watched for the whole time.',
    );
  const watch = idle === undefined ? undefined : new IdleWatch(idle);
  return { ...values, watch, action };
}

const DECISIONS = manyOf(
  ownObject(
    {
      at: { ...TIME, description: "the service's time" },
      id: TEXT,
      rule: oneOf(...RULES),
      verdict: {
        ...oneOf(...VERDICTS),
        description: 'over: a rule applies; exempt: one applies, and a lock or a cluster exempts the pod',
      },
      action: { ...oneOf(...GUARD_ACTIONS), description: 'what is done about it' },
      why: TEXT,
    },
    {
      name: TEXT,
      status: TEXT,
      startedAt: TEXT,
      held: { ...TEXT, description: 'why less is done than the rule says' },
      result: { ...oneOf(...RESULTS), description: 'what became of the action' },
      error: failureSchema(),
      request: { ...ANYTHING, description: 'with --dry-run: the request that would be sent' },
    },
  ),
);

const decisionView: View = {
  noun: ['decision', 'decisions'],
  id: (row) => text(row, 'id'),
  members: [
    ...['at', 'id', 'name', 'status', 'startedAt', 'rule', 'verdict', 'action', 'why', 'held', 'result', 'error'],
    'request',
  ],
  columns: [
    { header: 'NAME', show: (row) => text(row, 'name') || text(row, 'id') },
    { header: 'DECISION', show: decisionCell, cutLast: true },
    {
      header: 'WHY',
      wraps: true,
      show: (row) => [text(row, 'held'), text(row, 'why'), text(row, 'error.message')].filter(Boolean).join('; '),
    },
    textColumn('rule', { wide: true }),
    textColumn('id', { wide: true }),
  ],
};

function decisionCell(row: Json): Cell {
  const [result, verdict, action] = [text(row, 'result'), text(row, 'verdict'), text(row, 'action')];
  if (result === 'failed') return { text: `${action} failed`, tone: 'bad' };
  if (result !== '') return { text: result, tone: result === 'changed' ? 'warn' : 'good' };
  if (verdict !== 'over') return { text: verdict, tone: 'quiet' };
  return { text: action, tone: action === 'report' ? 'warn' : 'bad' };
}

export const run = defineCommand({
  summary: 'stop pods whose deadline is over, or that exceed a limit',
  details:
    'Looks once, for cron or a timer; stays with --every. If data is missing or inconsistent, it does nothing. Never touches locked pods or members of clusters. Ends 15 when something was over a limit.',
  options: OPTIONS,
  exits: [EXIT.limitExceeded],
  output: () => DECISIONS,
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
    const policy = policyOf(values);
    if (values.every !== undefined) return await sweepAgain(ctx, policy, values, values.every);
    const swept = await sweep(ctx, policy);
    const [isQuiet, isTable] = [ctx.settings.get('quiet'), isTableOutput(ctx.output)];
    return {
      kind: 'many',
      view: decisionView,
      // cron mails what is printed.
      values: isQuiet && isTable ? swept.rows.filter((row) => memberAt(row, 'verdict') === 'over') : swept.rows,
      notes: isTable && !isQuiet && swept.rows.length === 0 ? [checkedLine(swept)] : [],
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
  values: GuardValues & { readonly notify?: string },
  everyMs: Milliseconds,
): Promise<Result> {
  const rows = ctx.rows(decisionView);
  let known: readonly Json[] = [];
  let isTold = false;
  try {
    for (;;) {
      const swept = await sweepUnlessFailed(ctx, policy);
      const news = swept?.rows.filter((row) => isNews(row, known)) ?? [];
      await rows.rows(news);
      if (values.notify !== undefined && news.length > 0 && !ctx.dryRun) {
        const result: Result = { kind: 'many', view: decisionView, values: news, exit: EXIT.limitExceeded };
        await notify(ctx, values.notify, [['guard', 'run'], { args: {} }, values], { result, tookMs: everyMs });
      }
      known = swept?.rows ?? known;
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

async function sweepUnlessFailed(ctx: CommandContext, policy: Policy): Promise<Sweep | undefined> {
  try {
    return await sweep(ctx, policy);
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

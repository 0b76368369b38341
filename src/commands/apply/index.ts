import { allowedAccess, requireAccess } from '../../core/access.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { berth, flags, sentence } from '../../core/message.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { ask, asks } from '../../cli/ask.ts';
import { defineCommand, waitOptions, yesOption } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { tellPrice } from '../../cli/money.ts';
import { countOf } from '../../cli/words.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { Result } from '../../output/view.ts';
import { costLine } from '../plan/cost.ts';
import { PLAN_INPUT } from '../plan/index.ts';
import { makePlan } from '../plan/make-plan.ts';
import { planRows, planView } from '../plan/plan-view.ts';
import type { Plan, PlanInput, Planned } from '../plan/planned.ts';
import { pruningRefusal } from '../plan/prune.ts';
import { applyAll } from './apply-all.ts';
import { APPLIED, appliedView, failureOf, notesOf, rowOf } from './outcome.ts';
import { withoutSecrets } from './preview.ts';
import { labelOf } from './write.ts';

export const apply = defineCommand({
  summary: 'create and change what files describe',
  details:
    'Does what berth plan shows; asks before it removes, restarts or grows something. Removes nothing without --prune. Stops at the first failure; safe to run again. docs/guides/fleet-in-files.md',
  args: PLAN_INPUT.args,
  options: {
    ...PLAN_INPUT.options,
    keepGoing: option.on('after a failure, do the rest; still remove nothing'),
    maxPrune: option.count('remove at most N things (default: half of the set)', 0),
    ...waitOptions('wait until pods are reachable and endpoints have rolled out'),
    yes: yesOption,
  },
  exits: [EXIT.limitExceeded, EXIT.jobFailed],
  output: APPLIED,
  writes: true,
  destroys: true,
  // Checked by the plan: a read-only profile is told that there is nothing to do.
  needs: 'read',
  costs: true,
  examples: [
    ['berth apply fleet.yaml', 'does what berth plan shows'],
    ['berth apply fleet/ --env-from variables.env --yes --json', 'in CI: an outcome for each document'],
    ['berth apply fleet.yaml --dry-run', 'the requests, with names where ids are not known yet'],
  ],
  run: async (ctx, values): Promise<Result> => {
    // One apply at a time: two would make a thing twice.
    const lock = await ctx.accountLock('apply', (holder) => ctx.tell(`Waiting: ${holder}.`));
    try {
      const plan = await allowedPlan(ctx, values);
      await confirm(ctx, plan);
      const { keepGoing, wait, waitTimeout } = values;
      const outcomes = await withoutSecrets(ctx, plan.hidden, () =>
        applyAll(ctx, plan, { keepGoing, waitMs: wait ? waitTimeout : undefined }),
      );
      return {
        kind: 'many',
        view: appliedView,
        values: outcomes.map((each) => rowOf(ctx, each)),
        notes: isTableOutput(ctx.output) ? notesOf(outcomes) : [],
        failure: failureOf(ctx, outcomes),
      };
    } finally {
      lock.release();
    }
  },
});

interface Values extends PlanInput {
  readonly keepGoing: boolean;
  readonly maxPrune?: number | undefined;
  readonly waitTimeout?: Milliseconds | undefined;
}

async function allowedPlan(ctx: CommandContext, values: Values): Promise<Plan> {
  const plan = await makePlan(ctx, values);
  const refusal = plan.pruning && pruningRefusal(plan.pruning, values.maxPrune);
  if (refusal !== undefined) throw refusal;
  if (!values.keepGoing) refuseBlocked(plan.planned, values);
  const isPlanned = (...actions: readonly string[]): boolean =>
    plan.planned.some(({ item }) => actions.includes(item.action));
  const isRemoving = isPlanned('delete');
  if (!ctx.dryRun && isPlanned('create', 'update', 'delete'))
    requireAccess(isRemoving ? 'full' : 'write', allowedAccess(ctx.settings));
  return plan;
}

/** Removals, restarts and what cannot be undone. */
const isRisky = ({ item }: Planned): boolean =>
  item.action === 'delete' ||
  (item.action === 'update' && item.changes.some(({ effect }) => effect === 'restarts' || effect === 'permanent'));

async function confirm(ctx: CommandContext, plan: Plan): Promise<void> {
  const { planned } = plan;
  await tellPrice(ctx, async () => costLine(planned.map(({ cost }) => cost)));
  const risky = planned.filter(isRisky);
  if (risky.length === 0 || !asks(ctx)) return;
  const rows = planRows(ctx, plan).filter((row) => row['action'] !== 'none');
  if (ctx.terminal.canAsk) await ctx.tellRows(planView, rows);
  await ask(ctx, { line: `${countOf(risky.length, 'thing')} will be removed, restarted or grown: ${names(risky)}` });
}

const names = (planned: readonly Planned[]): string => planned.map(labelOf).join(', ');

/** Refused (5), before anything is sent. */
function refuseBlocked(planned: readonly Planned[], { files, envFrom, prune, setName }: PlanInput): void {
  const blocked = planned.filter(({ item }) => item.action === 'blocked');
  if (blocked.length === 0) return;
  throw new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: `${countOf(blocked.length, 'thing')} cannot be made as described: nothing was sent`,
    hint: sentence`See ${berth`plan ${files} ${flags([
      ...envFrom.flatMap((file) => ['--env-from', file]),
      ...(setName === undefined ? [] : ['--set-name', setName]),
      ...(prune === true ? ['--prune'] : []),
    ])}`}; --keep-going does the rest.`,
    errors: blocked.map((each) => `${labelOf(each)}: ${each.item.why ?? ''}`),
  });
}

import { isDeepStrictEqual } from 'node:util';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { type Json, objectOf } from '../../core/json.ts';
import { hideSecrets } from '../../core/secret-names.ts';
import { berth, flags, sentence } from '../../core/message.ts';
import { defineCommand, waitOptions } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { allowedAccess, requireAccess } from '../../core/access.ts';
import { combinedFailure } from '../../cli/resource/several.ts';
import { countOf } from '../../cli/words.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { Result } from '../../output/view.ts';
import { withoutVariables } from '../../fleet/variables.ts';
import { PLAN_INPUT } from '../plan/input.ts';
import { KINDS } from '../plan/kinds.ts';
import { makePlan } from '../plan/make-plan.ts';
import { pruningRefusal } from '../plan/prune.ts';
import { plannedRefusal } from '../plan/refusals.ts';
import { planNotes, planRowOf } from '../plan/rows.ts';
import { planView } from '../plan/plan-view.ts';
import { applyAll } from './apply-all.ts';
import { labelOf, requestsOf } from './apply-item.ts';
import { APPLIED, appliedView, failureOf, notesOf, rowOf } from './report.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import type { Plan, PlanInput, Planned } from '../plan/planned.ts';
import type { Outcome } from './outcome.ts';

export const apply = defineCommand({
  summary: 'create and change what files describe',
  details:
    'Does what berth plan shows, after asking. Each thing is read again before its write and left alone if it has changed. Removes nothing without --prune, which comes last. Stops at the first failure; safe to run again. docs/guides/fleet-in-files.md',
  args: PLAN_INPUT.args,
  options: {
    ...PLAN_INPUT.options,
    keepGoing: option.on('after a failure, do the rest; still remove nothing'),
    maxPrune: option.count('remove at most N things (default: half of the set)', 0),
    ...waitOptions('wait until pods are reachable and endpoints have rolled out'),
  },
  exits: [EXIT.limitExceeded, EXIT.jobFailed],
  output: APPLIED,
  writes: true,
  destroys: true,
  // Checked by the plan: a read-only profile is told that there is nothing to do.
  needs: 'read',
  costs: true,
  examples: [
    ['berth apply fleet.yaml --yes', 'does what berth plan shows; without --yes it shows the plan and asks'],
    ['berth apply fleet/ --env-from variables.env --yes --json', 'in CI: an outcome for each document'],
    ['berth apply fleet.yaml --dry-run', 'the requests, with names where ids are not known yet'],
  ],
  prepare: async (ctx, values) => await allowedPlan(ctx, values),
  confirm: async (ctx, _, plan) => {
    const { planned, hidden } = plan;
    const changed = planned.filter(({ item }) => item.action !== 'none');
    if (changed.length === 0) return undefined;
    const values = changed.map((each) => planRowOf(each, { texts: hidden, isSecret: ctx.output.isSecret }));
    return { rows: { view: planView, values }, lines: planNotes(plan) };
  },
  run: async (ctx, values, plan): Promise<Result> => {
    if (ctx.dryRun) return await preview(ctx, plan);
    const outcomes = await applyAlone(ctx, values, plan);
    const failure = failureOf(ctx, outcomes);
    return {
      kind: 'many',
      view: appliedView,
      values: outcomes.map((each) => rowOf(ctx, each)),
      notes: isTableOutput(ctx.output) ? notesOf(outcomes) : [],
      failure,
    };
  },
});

interface Values extends PlanInput {
  readonly keepGoing: boolean;
  readonly maxPrune?: number | undefined;
  readonly wait: boolean;
  readonly waitTimeout?: Milliseconds | undefined;
}

async function allowedPlan(ctx: CommandContext, values: Values): Promise<Plan> {
  const plan = await makePlan(ctx, values);
  const refusal = plan.pruning === undefined ? undefined : pruningRefusal(plan.pruning, values.maxPrune);
  if (refusal !== undefined) throw refusal;
  if (!values.keepGoing) refuseBlocked(plan.planned, values);
  if (!ctx.dryRun) checkAccess(ctx, plan.planned);
  return plan;
}

/** After the end of another apply it plans again; refused (5) if that is not what was confirmed. */
async function applyAlone(ctx: CommandContext, values: Values, confirmed: Plan): Promise<readonly Outcome[]> {
  const { keepGoing, wait, waitTimeout } = values;
  const options = { keepGoing, waitMs: wait ? waitTimeout : undefined };
  if (confirmed.planned.every(({ item }) => item.action === 'none')) return await applyAll(ctx, confirmed, options);
  const waitedFor: string[] = [];
  const lock = await ctx.accountLock('apply', async (holder) => {
    waitedFor.push(holder);
    await ctx.tell(`Waiting: ${holder}.`);
  });
  try {
    if (waitedFor.length === 0) return await applyAll(ctx, confirmed, options);
    const plan = await allowedPlan(ctx, values);
    const isConfirmed = ({ document, item }: Planned): boolean =>
      item.action === 'none' ||
      confirmed.planned.some(
        (each) =>
          each.document.kind === document.kind &&
          each.document.name === document.name &&
          isDeepStrictEqual(each.item, item),
      );
    if (ctx.yes || plan.planned.every(isConfirmed)) return await applyAll(ctx, plan, options);
  } finally {
    lock.release();
  }
  throw new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: 'the other apply changed what there is to do: nothing was sent',
    hint: 'Run it again to see what there is to do now.',
  });
}

/** Denied (3), before anything is sent. */
function checkAccess(ctx: CommandContext, planned: readonly Planned[]): void {
  const destroys = planned.some(({ item }) => item.action === 'delete');
  const writes = planned.some(({ item }) => item.action === 'create' || item.action === 'update');
  if (destroys || writes) requireAccess(destroys ? 'full' : 'write', allowedAccess(ctx.settings));
}

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
    ])}`}; --keep-going leaves them as they are and does the rest.`,
    errors: blocked.map((each) => `${labelOf(each)}: ${each.item.why ?? ''}`),
  });
}

/** Refused (5) if something would be refused. Things made in the same run have names in place of ids. */
async function preview(ctx: CommandContext, { planned, hidden }: Plan): Promise<never> {
  const ofKind = (name: string, isRemoval: boolean): readonly Planned[] =>
    planned.filter(({ document, item }) => document.kind.name === name && (item.action === 'delete') === isRemoval);
  const ordered = [
    ...KINDS.flatMap((name) => ofKind(name, false)),
    ...KINDS.toReversed().flatMap((name) => ofKind(name, true)),
  ];
  const requests = [];
  const ended: { readonly id: string; readonly failure: Failure | undefined }[] = [];
  for (const each of ordered) {
    const failure = await refusalOf(ctx, each);
    ended.push({ id: labelOf(each), failure });
    if (failure !== undefined) continue;
    for (const request of await requestsOf(ctx, each)) {
      const whole = withoutVariables((request.body ?? null) as Json, hidden);
      // Also the variables of the current row, which an update sends again.
      const body = objectOf(ctx.output.isSecret === undefined ? whole : hideSecrets(whole, ctx.output.isSecret));
      requests.push(
        body === undefined ? request : { ...request, body: 'password' in body ? { ...body, password: '***' } : body },
      );
    }
  }
  return await ctx.previewAll(requests, combinedFailure(ended));
}

async function refusalOf(ctx: CommandContext, planned: Planned): Promise<Failure | undefined> {
  const { item } = planned;
  if (item.action === 'blocked') return new Failure({ code: 'refused', exit: EXIT.refused, message: item.why ?? '' });
  return await plannedRefusal(ctx, planned);
}

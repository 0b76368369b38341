import { requireAccess } from '../../core/access.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt } from '../../core/failure.ts';
import { type Json, type JsonObject, memberAt, objectOf, stringAt } from '../../core/json.ts';
import { hideSecrets, HIDDEN } from '../../core/secret-names.ts';
import { ask, asks } from '../../cli/ask.ts';
import { defineCommand, waitOptions, yesOption } from '../../cli/model/command.ts';
import { failureSchema, manyOf, oneOf, ownObject, TEXT, YES_NO } from '../../cli/model/output-schema.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { tellPrice } from '../../cli/money.ts';
import { textColumn } from '../../cli/resource/fields.ts';
import { combinedFailure, errorOf } from '../../cli/resource/several.ts';
import { DryRun } from '../../cli/run/dry-run.ts';
import { countOf } from '../../cli/words.ts';
import { ACTIONS } from '../../fleet/differences.ts';
import { text } from '../../output/cells.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { type Cell, idOf, type Result, type View } from '../../output/view.ts';
import { costLine, makePlan, type Plan, type Planned } from '../plan/make-plan.ts';
import { withoutVariables } from '../plan/documents.ts';
import { countsOf, PLAN_INPUT, planRows, planView } from '../plan/index.ts';
import { KINDS } from '../plan/kinds.ts';
import { applyAll, labelOf, type Outcome } from './apply-all.ts';

const DONE = { create: 'created', update: 'changed', delete: 'removed', none: 'unchanged' } as const;

function resultCell(row: Json): Cell {
  const done = DONE[text(row, 'action') as keyof typeof DONE];
  if (memberAt(row, 'ok') === true) return { text: done, tone: done === 'unchanged' ? 'quiet' : 'good' };
  if (memberAt(row, 'done') === true) return { text: done, tone: 'bad' };
  const code = stringAt(row, 'error.code');
  if (code === 'not-sent') return { text: 'not sent', tone: 'quiet' };
  return { text: code === 'outcome-unknown' ? 'unknown' : 'failed', tone: 'bad' };
}

const view: View = {
  noun: ['thing', 'things'],
  id: (row) => text(row, 'id'),
  members: ['action', 'kind', 'name', 'id', 'ok', 'done', 'error'],
  columns: [
    { header: 'RESULT', show: resultCell, cutLast: true },
    textColumn('kind', { cutLast: true }),
    textColumn('name', { cutLast: true }),
    textColumn('id'),
    { header: 'ERROR', show: (row) => text(row, 'error.message'), wraps: true },
  ],
};

export const apply = defineCommand({
  summary: 'create and change what files describe',
  details:
    'Does what berth plan shows; asks before it removes, restarts or grows something. Removes nothing without --prune. Stops at the first failure; safe to run again. docs/guides/fleet-in-files.md',
  args: PLAN_INPUT.args,
  options: {
    ...PLAN_INPUT.options,
    maxPrune: option.count('remove at most N things (default: half of the set)', 0),
    ...waitOptions('wait until pods are reachable and endpoints rolled out, unchanged ones too'),
    yes: yesOption,
  },
  exits: [EXIT.limitExceeded, EXIT.jobFailed],
  output: () =>
    manyOf(
      ownObject(
        {
          action: { ...oneOf(...ACTIONS), description: 'what was done, or was to be done where done is false' },
          kind: oneOf(...KINDS),
          name: TEXT,
          ok: YES_NO,
          done: { ...YES_NO, description: 'true beside ok false: it was made, and is not ready' },
        },
        { id: TEXT, error: failureSchema() },
      ),
    ),
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
      const plan = await makePlan(ctx, values);
      refuse(ctx, plan, values.maxPrune);
      await confirm(ctx, plan);
      const waitMs = values.wait ? values.waitTimeout : undefined;
      const outcomes = await applyAll(ctx, plan, waitMs).catch((error: unknown) => {
        throw error instanceof DryRun ? withoutSecrets(ctx, plan, error) : error;
      });
      const counts = countsOf(
        outcomes.flatMap(({ row, action }) => (row === undefined ? [] : [action])),
        DONE,
      );
      return {
        kind: 'many',
        view,
        values: outcomes.map((each) => rowOf(ctx, each)),
        notes: isTableOutput(ctx.output) && counts !== undefined ? [counts] : [],
        failure: failureOf(ctx, outcomes),
      };
    } finally {
      lock.release();
    }
  },
});

/** Before anything is sent: what cannot be made so and a large prune (5, 15), and what the profile does not allow (3). */
function refuse(ctx: CommandContext, { planned, pruning }: Plan, maxPrune: number | undefined): void {
  const { removed, ofSet } = pruning ?? { removed: 0, ofSet: 0 };
  const things = countOf(removed, 'thing');
  if (removed > (maxPrune ?? removed))
    throw new Failure({
      code: 'limit-exceeded',
      exit: EXIT.limitExceeded,
      message: `--max-prune allows ${String(maxPrune)}, and ${things} would be removed: nothing was sent`,
    });
  if (maxPrune === undefined && removed > ofSet / 2)
    throw new Failure({
      code: 'refused',
      exit: EXIT.refused,
      message: `${things} of the ${ofSet} of this set would be removed, more than half: nothing was sent`,
      hint: `Are all files there? If they are, allow it: --max-prune ${removed}`,
    });
  const blocked = planned.filter(({ item }) => item.action === 'blocked');
  if (blocked.length > 0)
    throw new Failure({
      code: 'refused',
      exit: EXIT.refused,
      message: `${countOf(blocked.length, 'thing')} cannot be made as described: nothing was sent`,
      errors: blocked.map((each) => `${labelOf(each)}: ${each.item.why ?? ''}`),
    });
  const actions = planned.map(({ item }) => item.action);
  if (!ctx.dryRun && actions.some((action) => action !== 'none'))
    requireAccess(actions.includes('delete') ? 'full' : 'write', ctx.settings);
}

/** Removals, restarts and what cannot be undone. */
const isRisky = ({ item }: Planned): boolean =>
  item.action === 'delete' ||
  (item.action === 'update' && item.changes.some(({ effect }) => effect === 'restarts' || effect === 'permanent'));

async function confirm(ctx: CommandContext, plan: Plan): Promise<void> {
  await tellPrice(ctx, async () => costLine(plan));
  const risky = plan.planned.filter(isRisky);
  if (risky.length === 0 || !asks(ctx)) return;
  if (ctx.terminal.canAsk)
    await ctx.tellRows(
      planView,
      planRows(ctx, plan).filter((row) => row['action'] !== 'none'),
    );
  const names = risky.map(labelOf).join(', ');
  await ask(ctx, { line: `${countOf(risky.length, 'thing')} will be removed, restarted or grown: ${names}` });
}

/** Hides values of --env-from, secret variables and passwords in the requests of a dry run: CI keeps them in its logs. */
function withoutSecrets({ output }: CommandContext, { hidden }: Plan, { previews, failure }: DryRun): DryRun {
  const shown = (body: Json): Json => {
    const plain = withoutVariables(body, hidden);
    const masked = output.isSecret === undefined ? plain : hideSecrets(plain, output.isSecret);
    return objectOf(masked)?.['password'] === undefined ? masked : { ...objectOf(masked), password: HIDDEN };
  };
  return new DryRun(
    previews.map((preview) => (preview.body === undefined ? preview : { ...preview, body: shown(preview.body) })),
    failure,
  );
}

function rowOf({ settings }: CommandContext, { planned, action, row, failure }: Outcome): JsonObject {
  const id = idOf(row ?? planned.row ?? null) || (failure?.id ?? '');
  return {
    action: row === undefined ? planned.item.action : action,
    kind: planned.document.kind.name,
    name: planned.document.name,
    ...(id === '' ? {} : { id }),
    ok: failure === undefined,
    done: row !== undefined,
    ...(failure === undefined ? {} : { error: errorOf(failure, settings) }),
  };
}

/** Undefined if nothing failed. */
function failureOf({ signal }: CommandContext, outcomes: readonly Outcome[]): Failure | undefined {
  const failure = combinedFailure(outcomes.map((each) => ({ id: labelOf(each.planned), failure: each.failure })));
  const reason: unknown = signal.reason;
  if (failure === undefined || !isInterrupt(reason)) return failure;
  const { code, exit, message } = reason;
  const done = outcomes.filter(({ row }) => row !== undefined).length;
  return failure.with({ code, exit, message: `${message}: ${done} of ${outcomes.length} done` });
}

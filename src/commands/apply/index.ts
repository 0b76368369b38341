import { EXIT } from '../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { objectOf, type JsonObject } from '../../core/json.ts';
import { berth, flags, sentence } from '../../core/message.ts';
import { defineCommand } from '../../cli/model/command.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { option } from '../../cli/model/params.ts';
import { combinedFailure } from '../../cli/resource/several/combined-failure.ts';
import { errorOf } from '../../cli/resource/several/outcomes.ts';
import { countOf } from '../../cli/words/words.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { idOf, type Result } from '../../output/view.ts';
import { withoutVariables } from '../../fleet/variables.ts';
import { createAccount } from '../plan/account.ts';
import { PLAN_INPUT } from '../plan/input.ts';
import { KINDS } from '../plan/kinds.ts';
import { makePlan, type Plan, type Planned, type PlanInput } from '../plan/make-plan.ts';
import { planNotes, planRowOf } from '../plan/rows.ts';
import { planView } from '../plan/view.ts';
import { applyItem, labelOf, requestOf, type Done } from './apply-item.ts';
import { keepSeen } from './create-once.ts';
import { APPLIED, appliedView } from './view.ts';

/** The outcome of one document. */
type Outcome = { readonly planned: Planned } & (
  { readonly done: Done; readonly failure?: undefined } | { readonly done?: undefined; readonly failure: Failure }
);

/** `berth apply`: makes what is at the service what files say. */
export const apply = defineCommand({
  summary: 'create and change what files describe',
  details:
    'It does what berth plan shows, and asks first. Registries, volumes, templates, endpoints and pods are made in this order. Each thing is read again right before its write: where it is not as the plan saw it, it is left alone and that is an error. It touches only what a file names, and deletes nothing. The first failure ends it, and what was not done is named; --keep-going does the rest. It may be run again at any time: what an earlier run made is found by its kind and name.',
  args: PLAN_INPUT.args,
  options: {
    ...PLAN_INPUT.options,
    keepGoing: option.on('after a failure, do what can be done of the rest'),
  },
  output: APPLIED,
  writes: true,
  destroys: false,
  costs: true,
  examples: [
    ['berth apply fleet.yaml --yes', 'does what berth plan shows; without --yes it shows the plan and asks'],
    ['berth apply fleet/ --env-from variables.env --yes --json', 'in CI: an outcome for each document'],
    ['berth apply fleet.yaml --dry-run', 'the requests, with names where ids are not known yet'],
  ],
  prepare: async (ctx, { keepGoing, ...input }) => {
    const plan = await makePlan(ctx, input);
    if (!keepGoing) refuseBlocked(plan.planned, input);
    return plan;
  },
  confirm: async (ctx, _, { planned, hidden }) => {
    const changed = planned.filter(({ item }) => item.action !== 'none');
    if (changed.length === 0) return undefined;
    const values = changed.map((each) => planRowOf(each, { texts: hidden, isSecret: ctx.output.isSecret }));
    return { rows: { view: planView, values }, lines: planNotes(planned) };
  },
  run: async (ctx, { keepGoing }, plan): Promise<Result> => {
    if (ctx.dryRun) return await preview(ctx, plan);
    const outcomes = await applyAll(ctx, plan, keepGoing);
    const failure = combinedFailure(outcomes.map((each) => ({ id: labelOf(each.planned), failure: each.failure })));
    return {
      kind: 'many',
      view: appliedView,
      values: outcomes.map((each) => rowOf(ctx, each)),
      notes: isTableOutput(ctx.output) ? notesOf(outcomes) : [],
      failure,
    };
  },
});

/** Refuses a plan with something that cannot be made so, before anything is sent: refused (5). */
function refuseBlocked(planned: readonly Planned[], { files, envFrom }: PlanInput): void {
  const blocked = planned.filter(({ item }) => item.action === 'blocked');
  if (blocked.length === 0) return;
  throw new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: `${countOf(blocked.length, 'thing')} cannot be made as described: nothing was sent`,
    hint: sentence`See ${berth`plan ${files} ${flags(envFrom.flatMap((file) => ['--env-from', file]))}`}; --keep-going leaves them as they are and does the rest.`,
    errors: blocked.map((each) => `${labelOf(each)}: ${each.item.why ?? ''}`),
  });
}

/** How many things of one kind are written at once; the pace of all requests is that of the service. */
const AT_ONCE = 4;

async function applyAll(ctx: CommandContext, plan: Plan, keepGoing: boolean): Promise<readonly Outcome[]> {
  const outcomes = new Map<Planned, Outcome>();
  const made = new Map<string, string>();
  let stopped: Failure | undefined;
  // What others refer to comes first; things of one kind do not refer to each other.
  for (const name of KINDS) {
    const ofKind = plan.planned.filter(({ document }) => document.kind.name === name);
    const account = createAccount(ctx, plan.documents, made);
    const waiting = [...ofKind];
    const applyNext = async (): Promise<void> => {
      for (let planned = waiting.shift(); planned !== undefined; planned = waiting.shift()) {
        const next = planned;
        const outcome = await outcomeOf(next, stopped, () => applyItem(ctx, account, next));
        outcomes.set(next, outcome);
        if (outcome.done !== undefined) made.set(labelOf(next), idOf(outcome.done.row));
        if (outcome.failure !== undefined && (!keepGoing || ctx.signal.aborted)) stopped ??= outcome.failure;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, applyNext));
    if (!ctx.signal.aborted) await keepCreated(ctx, ofKind, outcomes);
  }
  return plan.planned.flatMap((planned) => outcomes.get(planned) ?? []);
}

/** Keeps what a list has of what was created. Everything is done: where this fails, the next apply looks for it. */
async function keepCreated(
  ctx: CommandContext,
  ofKind: readonly Planned[],
  outcomes: ReadonlyMap<Planned, Outcome>,
): Promise<void> {
  const created = ofKind.filter((each) => outcomes.get(each)?.done?.action === 'create').map((each) => each.document);
  const [first] = created;
  if (first === undefined) return;
  try {
    await keepSeen(ctx, first.kind, created);
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
  }
}

async function outcomeOf(planned: Planned, stopped: Failure | undefined, act: () => Promise<Done>): Promise<Outcome> {
  const { item, row } = planned;
  if (item.action === 'none') return { planned, done: { action: 'none', row: row ?? null } };
  if (stopped !== undefined) return { planned, failure: notSent(stopped) };
  if (item.action === 'blocked')
    return { planned, failure: new Failure({ code: 'refused', exit: EXIT.refused, message: item.why ?? '' }) };
  try {
    return { planned, done: await act() };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { planned, failure: error };
  }
}

const notSent = ({ exit }: Failure): Failure =>
  new Failure({ code: 'not-sent', exit, message: 'not done: something before it failed' });

function rowOf(ctx: CommandContext, { planned, done, failure }: Outcome): JsonObject {
  const { document, item, row } = planned;
  const id = idOf(done?.row ?? row ?? null);
  return {
    action: done?.action ?? item.action,
    kind: document.kind.name,
    name: document.name,
    ...(id === '' ? {} : { id }),
    ok: failure === undefined,
    ...(failure === undefined ? {} : { error: errorOf(failure, ctx.settings) }),
  };
}

/** `1 created, 2 changed, 3 as described.` */
function notesOf(outcomes: readonly Outcome[]): readonly string[] {
  if (outcomes.length === 0) return ['The files hold no document.'];
  const words = { create: 'created', update: 'changed', none: 'as described' } as const;
  const counts = (['create', 'update', 'none'] as const).flatMap((action) => {
    const count = outcomes.filter(({ done }) => done?.action === action).length;
    return count === 0 ? [] : [`${count} ${words[action]}`];
  });
  return counts.length === 0 ? [] : [`${counts.join(', ')}.`];
}

/** Ends a dry run with the requests. What is made in the same run has its name in the place of its id. */
async function preview(ctx: CommandContext, { planned, hidden }: Plan): Promise<never> {
  const ordered = KINDS.flatMap((name) => planned.filter(({ document }) => document.kind.name === name));
  const requests = [];
  for (const each of ordered) {
    const request = await requestOf(ctx, each);
    if (request === undefined) continue;
    const body = objectOf(withoutVariables(request.body, hidden)) ?? {};
    requests.push({ ...request, body: 'password' in body ? { ...body, password: '***' } : body });
  }
  return await ctx.previewAll(requests);
}

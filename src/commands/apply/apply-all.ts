/** The requests of an apply. Of two applies at once each looks for doubles after its creates, and removes only what it made itself. */

import { listCommand } from '../../cli/hint.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { bodyOf, completeBody, withMember } from '../../cli/resource/request-body.ts';
import { patch, post } from '../../cli/resource/noun-writes.ts';
import { rowRequest } from '../../cli/resource/pages.ts';
import { combinedFailure } from '../../cli/resource/several.ts';
import { resource } from '../../cli/resource/targets.ts';
import { DryRun } from '../../cli/run/dry-run.ts';
import { type End, type Goal, until } from '../../cli/until.ts';
import { ROLLED_OUT } from '../endpoints/releases.ts';
import type { FileDocument } from '../plan/documents.ts';
import { acceptedPaths, FILE_KINDS, type FileKind, type KindName, KINDS, mapReferences } from '../plan/kinds.ts';
import { completeNew, type Plan, type Planned, rowsOf, withoutNull } from '../plan/make-plan.ts';
import { findLost, lookFor } from '../pods/place.ts';
import { REACHABLE } from '../pods/reachable.ts';
import { goalOf } from '../pods/wait.ts';
import { type ApiAnswer, type ApiRequest, readRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt, isNotFound } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { type Json, type JsonObject, memberAt, objectOf, stringAt } from '../../core/json.ts';
import { sentence } from '../../core/message.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { APPLY_MARK, byAge, SET_MARK, variableOf } from '../../create/key.ts';
import { bodyOfChanges } from '../../fleet/differences.ts';
import { idOf } from '../../output/view.ts';

/** Ids of what this run created, by `KIND NAME`. */
type Made = ReadonlyMap<string, string>;

export const labelOf = ({ document: { kind, name } }: { readonly document: FileDocument }): string =>
  `${kind.name} ${name}`;

const resourceOf = ({ collection, table }: FileKind) => resource(collection, table);

/** A planned body keeps the names of what the same run creates first. */
const withMade = (kind: FileKind, body: JsonObject, made: Made): JsonObject =>
  mapReferences(kind, body, (word, of) => made.get(`${of} ${word}`) ?? word);

/** Only an update takes them, such as the lock of a pod: they are sent after the create. */
const lateMembers = ({ table }: FileKind): readonly string[] =>
  bodyOf(table, 'update').accepts.filter((path) => !bodyOf(table, 'create').accepts.includes(path));

/** A lost answer is looked up (8), and never sent again. */
async function create(ctx: CommandContext, { document, body }: Planned, made: Made): Promise<Created> {
  const { kind } = document;
  const mark = markOf(document);
  const isLate = ([name, value]: readonly [string, Json | undefined]): boolean =>
    lateMembers(kind).includes(name) && value !== false;
  const known = withMade(kind, body, made);
  const late = Object.fromEntries(Object.entries(known).filter(isLate));
  const first = completeNew(ctx, document, {
    ...Object.fromEntries(Object.entries(known).filter(([name]) => !lateMembers(kind).includes(name))),
    ...(mark === undefined ? {} : { env: { ...objectOf(known['env']), [APPLY_MARK]: mark } }),
  });
  const whole = await completeBody(kind.table, first, { ctx, values: {}, file: first });
  const names = Object.keys(late);
  const request = {
    ...post(resourceOf(kind), whole),
    ...(names.length === 0 ? {} : { then: `PATCH ${names.join(', ')}` }),
  };
  const created = await createOnce(ctx, document, async () =>
    kind.sendNew === undefined ? await ctx.api.send(request) : await kind.sendNew(ctx, request),
  );
  if (names.length === 0) return created;
  try {
    const answer = await ctx.api.send(patch(resourceOf(kind), asId(idOf(created.row)), late));
    return { ...created, row: answer.value ?? created.row };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...created, failure: error };
  }
}

/** Sends the members that differ; variables with those that stay. */
async function update(ctx: CommandContext, { document, row = null, body, item }: Planned, made: Made) {
  const { kind } = document;
  const changed = bodyOfChanges(withMade(kind, body, made), item.changes);
  const readRow = () => Promise.resolve(row);
  const filled = await completeBody(kind.table, changed, { ctx, values: {}, file: {}, readRow });
  const request = patch(resourceOf(kind), asId(idOf(row)), withEmpty(kind, filled));
  return (await ctx.api.send(request)).value ?? null;
}

/** What the service takes for an empty member, in the place of null. */
function withEmpty(kind: FileKind, body: JsonObject): JsonObject {
  const { emptied } = kind;
  return acceptedPaths(kind).reduce<JsonObject>((result, path) => {
    const empty = memberAt(body, path) === null ? emptied(path) : undefined;
    return empty === undefined ? result : withMember(result, path.split('.'), empty);
  }, withoutNull(body));
}

/**
 * Reads it first: the service terminates a locked pod all the same. Returns whether it existed. Refused (5) if it was renamed,
 * locked or given to another set since the plan. `isOwn`: made by this run, which restricted access may remove.
 */
async function remove(ctx: CommandContext, kind: FileKind, row: Json, isOwn = false): Promise<boolean> {
  const id = asId<string>(idOf(row));
  try {
    const now = (await ctx.api.send(rowRequest(kind.collection, id))).value ?? null;
    if (stringAt(now, 'status') === 'TERMINATED') return false;
    const changed = [
      ...(memberAt(now, 'name') === memberAt(row, 'name') ? [] : ['name']),
      ...(variableOf(now, SET_MARK) === variableOf(row, SET_MARK) ? [] : [`env.${SET_MARK}`]),
      ...(memberAt(now, 'locked') === true ? ['locked'] : []),
    ];
    if (changed.length > 0)
      throw new Failure({
        code: 'refused',
        exit: EXIT.refused,
        message: `changed since the plan, so not removed: ${changed.join(', ')}`,
        id,
      });
    await ctx.api.send({ ...removal(kind, id), ...(isOwn ? { destroys: false } : {}) });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

const removal = ({ collection }: FileKind, id: string): ApiRequest => ({
  service: 'base',
  method: 'DELETE',
  path: [...collection.path, id],
  id,
  checkCommand: listCommand(collection),
});

interface Created {
  readonly row: Json;
  /** Its answer came, so this run made it. */
  readonly isAnswered: boolean;
  /** The late members could not be set. */
  readonly failure?: Failure;
}

/** Undefined for what is found by its name alone. */
const markOf = ({ kind, name, set = '' }: FileDocument): string | undefined =>
  kind.name === 'pod' || kind.name === 'endpoint' ? `${set}/${kind.name}/${name}` : undefined;

const rowsNamed = (rows: readonly Json[], name: string): readonly Json[] =>
  byAge(rows.filter((row) => memberAt(row, 'name') === name));

/** After a lost answer it looks for what was made (8 where nothing appears), and never sends a second create. */
async function createOnce(
  ctx: CommandContext,
  { kind, name }: FileDocument,
  send: () => Promise<ApiAnswer>,
): Promise<Created> {
  try {
    return { row: (await send()).value ?? null, isAnswered: true };
  } catch (error) {
    if (!(error instanceof Failure) || ctx.signal.aborted || error.exit !== EXIT.unknown) throw error;
    const hint = sentence`Find out before you apply again: ${listCommand(kind.collection)}`;
    const look = async () => rowsNamed(await rowsOf(ctx, kind), name)[0];
    return { row: await findLost(ctx, error, hint, look), isAnswered: false };
  }
}

/** The list after the creates of a kind: once it has them, the next apply does not make them again. */
async function listWith(ctx: CommandContext, name: KindName, created: readonly Json[]): Promise<readonly Json[]> {
  const kind = FILE_KINDS[name];
  const found = await lookFor(ctx, async () => {
    const rows = await rowsOf(ctx, kind);
    const ids = new Set(rows.map(idOf));
    return created.every((row) => ids.has(idOf(row))) ? rows : undefined;
  });
  return found ?? (await rowsOf(ctx, kind));
}

/**
 * Of two with one mark the younger is removed by its maker, and the older one is the answer. Refused (5) for other doubles.
 * `rows` is the list after the creates of the kind.
 */
async function withoutDouble(
  ctx: CommandContext,
  document: FileDocument,
  { row, isAnswered }: Created,
  rows: readonly Json[],
): Promise<Json> {
  const { kind, name } = document;
  const mark = markOf(document);
  const there = rowsNamed(rows, name);
  const own = there.find((each) => idOf(each) === idOf(row)) ?? row;
  const others = there.filter((each) => each !== own);
  const isAlike = (each: Json): boolean => isAnswered && mark !== undefined && variableOf(each, APPLY_MARK) === mark;
  const [oldest = own] = byAge([own, ...others.filter(isAlike)]);
  if (oldest !== own) {
    await ctx.tell(`Another apply created ${kind.name} ${idOf(oldest)} first: removing ${kind.name} ${idOf(row)}.`);
    await remove(ctx, kind, row, true);
    return oldest;
  }
  const doubles = others.filter((each) => !isAlike(each));
  if (doubles.length === 0) return row;
  throw new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: `${doubles.length + 1} of kind ${kind.name} are named ${name}: ${[own, ...doubles].map(idOf).join(', ')}`,
    hint: sentence`Another one created it too. Delete one: ${listCommand(kind.collection)}`,
  });
}

/** Does a plan: what others refer to first, removals last, and none of them after a failure. */

export interface Outcome {
  readonly planned: Planned;
  readonly action: 'none' | 'create' | 'update' | 'delete';
  /** What is there now; undefined where nothing was done. With a failure beside it: made, and not ready. */
  readonly row?: Json;
  /** Of a create: its answer came, so this run made it. */
  readonly isAnswered?: boolean;
  readonly failure?: Failure | undefined;
}

/** Concurrent writes of one kind. */
const AT_ONCE = 4;

/** What was not done has an outcome too. `waitMs`: undefined does not wait. */
export async function applyAll(
  ctx: CommandContext,
  plan: Plan,
  waitMs: Milliseconds | undefined,
): Promise<readonly Outcome[]> {
  const outcomes = new Map<Planned, Outcome>();
  const made = new Map<string, string>();
  let stopped: Failure | undefined;
  let recorded: DryRun | undefined;

  const settle = (outcome: Outcome): void => {
    const { planned, row, failure } = outcome;
    outcomes.set(planned, outcome);
    if (row !== undefined) made.set(labelOf(planned), idOf(row));
    stopped ??= failure;
  };
  /** `before`: what is reported beside a failure. */
  const attempt = async (before: Outcome, act: () => Promise<Omit<Outcome, 'planned'>>): Promise<void> => {
    try {
      settle({ planned: before.planned, ...(await act()) });
    } catch (error) {
      if (error instanceof DryRun) recorded = error;
      else if (error instanceof Failure) settle({ ...before, failure: error });
      else throw error;
    }
  };
  const doNext = async (waiting: Planned[]): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const planned = next;
      const { item, row = null, document } = planned;
      const before: unknown = ctx.signal.reason instanceof Failure ? ctx.signal.reason : stopped;
      if (item.action === 'none') settle({ planned, action: 'none', row });
      else if (before instanceof Failure) settle({ planned, action: 'none', failure: notSent(before) });
      else
        await attempt({ planned, action: 'none' }, () =>
          withUnknown(ctx, async () => {
            if (item.action === 'create') return { action: 'create', ...(await create(ctx, planned, made)) };
            if (item.action === 'update') return { action: 'update', row: await update(ctx, planned, made) };
            return { action: (await remove(ctx, document.kind, row)) ? 'delete' : 'none', row };
          }),
        );
    }
  };
  const doAll = async (name: KindName, isRemoval: boolean): Promise<void> => {
    const waiting = plan.planned.filter(
      ({ document, item }) => document.kind.name === name && (item.action === 'delete') === isRemoval,
    );
    await Promise.all(Array.from({ length: AT_ONCE }, () => doNext(waiting)));
  };
  const checkDoubles = async (name: KindName): Promise<void> => {
    const created = [...outcomes.values()].filter(
      ({ planned, action, row, failure }) =>
        planned.document.kind.name === name && action === 'create' && row !== undefined && failure === undefined,
    );
    if (created.length === 0 || ctx.signal.aborted) return;
    const list = listWith(
      ctx,
      name,
      created.map(({ row = null }) => row),
    );
    for (const outcome of created)
      await attempt(outcome, async () => {
        const { planned, row = null, isAnswered = false } = outcome;
        const stays = await withoutDouble(ctx, planned.document, { row, isAnswered }, await list);
        return { action: stays === row ? 'create' : 'none', row: stays, isAnswered };
      });
  };

  for (const name of KINDS) {
    await doAll(name, false);
    await checkDoubles(name);
  }
  if (waitMs !== undefined && stopped === undefined && recorded === undefined)
    for (const outcome of await waitUntilReady(ctx, [...outcomes.values()], waitMs)) settle(outcome);
  for (const name of KINDS.toReversed()) await doAll(name, true);
  if (recorded !== undefined) {
    const ended = [...outcomes].map(([planned, { failure }]) => ({ id: labelOf(planned), failure }));
    throw new DryRun(recorded.previews, combinedFailure(ended, plan.planned.length));
  }
  return plan.planned.flatMap((planned) => outcomes.get(planned) ?? []);
}

/** After a failure, or an interrupt, what comes later is not sent. */
const notSent = (before: Failure): Failure =>
  new Failure({
    code: 'not-sent',
    exit: before.exit,
    message: isInterrupt(before) ? 'not done: interrupted before' : 'not done: something before it failed',
  });

/** Sent without an answer, or interrupted before the answer: the write may have been done. */
async function withUnknown<T>({ signal }: CommandContext, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const isUnknown =
      error instanceof Failure && (error.exit === EXIT.unknown || (signal.aborted && error !== signal.reason));
    throw isUnknown ? error.with({ code: 'outcome-unknown' }) : error;
  }
}

const { resume: _, ...rolledOut } = ROLLED_OUT;

/** Only these kinds need time. `path`: below the row. */
const READY: readonly (readonly [kind: KindName, goal: Goal, path: readonly string[]])[] = [
  ['pod', goalOf(REACHABLE), []],
  // Last, without a command that goes on.
  ['endpoint', rolledOut, ['releases']],
];

/** Adds a failure to what is not ready: 9 after the time, 10 if it cannot become ready. What was unchanged is waited for too. */
async function waitUntilReady(
  ctx: CommandContext,
  outcomes: readonly Outcome[],
  timeoutMs: Milliseconds,
): Promise<readonly Outcome[]> {
  const endsAt = ctx.clock.monotonic() + timeoutMs;
  const ended: Outcome[] = [];
  for (const [name, goal, path] of READY) {
    const waiting = outcomes.filter(
      ({ planned, row, failure }) =>
        planned.document.kind.name === name &&
        failure === undefined &&
        row !== undefined &&
        stringAt(row, 'status') !== 'EXITED',
    );
    const things = waiting.map(({ planned: { document }, row = null }) => {
      const id = idOf(row);
      const request = readRequest([...document.kind.collection.path, id, ...path], { id });
      return { id, read: () => ctx.api.send(request) };
    });
    const leftMs = Math.max(0, endsAt - ctx.clock.monotonic());
    // An interrupted wait: what was made is reported all the same.
    const ends = await until(ctx, things, goal, leftMs).catch((error: unknown): readonly End[] => {
      if (!(error instanceof Failure)) throw error;
      return things.map(({ id }) => ({ id, failure: error }));
    });
    for (const [at, outcome] of waiting.entries()) {
      const { answer, failure } = ends[at] ?? {};
      const row = (path.length === 0 ? answer?.value : undefined) ?? outcome.row ?? null;
      ended.push({ ...outcome, row, failure });
    }
  }
  return ended;
}

/** The requests for one thing of a plan: its create, update or removal, and what becomes of one that was made twice. */
import { listCommand } from '../../cli/hint.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { completeBody, withMember, writablePaths } from '../../cli/resource/body-members.ts';
import { patch, post } from '../../cli/resource/noun-writes.ts';
import { resource } from '../../cli/resource/targets.ts';
import { rowsOf } from '../plan/account.ts';
import type { FileDocument } from '../plan/documents.ts';
import { acceptedPaths, type FileKind, mapReferences } from '../plan/kinds.ts';
import { completeNew, type Planned, withoutNull } from '../plan/make-plan.ts';
import { findLost, lookFor } from '../pods/place.ts';
import { type ApiAnswer, type ApiRequest, rowRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, rethrowUnlessFailure } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { type Json, type JsonObject, memberAt, objectOf, stringAt } from '../../core/json.ts';
import { sentence } from '../../core/message.ts';
import { APPLY_MARK, byAge, SET_MARK, variableOf } from '../../create/key.ts';
import { bodyOfChanges } from '../../fleet/differences.ts';
import { idOf } from '../../output/view.ts';

/** Ids of what this run created, by `KIND NAME`. */
export type Made = ReadonlyMap<string, string>;

export interface Created {
  readonly row: Json;
  /** Its answer came, so this run made it. */
  readonly isAnswered: boolean;
  /** It was made, and what only an update takes could not be set. */
  readonly failure?: Failure;
}

/** A planned body keeps the names of what the same run creates first. */
const withMade = (kind: FileKind, body: JsonObject, made: Made): JsonObject =>
  mapReferences(kind, body, (word, of) => made.get(`${of} ${word}`) ?? word);

const resourceOf = ({ collection, table }: FileKind) => resource(collection, table);

/** Undefined for what is found by its name alone. */
const markOf = ({ kind, name, set = '' }: FileDocument): string | undefined =>
  kind.name === 'pod' || kind.name === 'endpoint' ? `${set}/${kind.name}/${name}` : undefined;

const rowsNamed = (rows: readonly Json[], name: string): readonly Json[] =>
  byAge(rows.filter((row) => memberAt(row, 'name') === name));

export async function create(ctx: CommandContext, { document, body }: Planned, made: Made): Promise<Created> {
  const { kind } = document;
  const mark = markOf(document);
  const accepted = writablePaths(kind.table, 'create').map((path) => path.split('.', 1)[0]);
  const known = Object.entries(withMade(kind, body, made));
  // Only an update takes them, such as the lock of a pod.
  const late = Object.fromEntries(known.filter(([name, value]) => !accepted.includes(name) && value !== false));
  const first = completeNew(ctx, document, {
    ...Object.fromEntries(known.filter(([name]) => accepted.includes(name))),
    ...(mark === undefined ? {} : { env: { ...objectOf(body['env']), [APPLY_MARK]: mark } }),
  });
  const names = Object.keys(late);
  const request = {
    ...post(resourceOf(kind), await completeBody(kind.table, first, { ctx, values: {}, file: first })),
    ...(names.length === 0 ? {} : { then: `PATCH ${names.join(', ')}` }),
  };
  const created = await createOnce(ctx, document, () => kind.sendNew?.(ctx, request) ?? ctx.api.send(request));
  if (names.length === 0) return created;
  try {
    await ctx.api.send(patch(resourceOf(kind), asId(idOf(created.row)), late));
    return created;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...created, failure: error };
  }
}

/** After a lost answer it looks for what was made (8 where nothing appears), and never sends a second create. */
async function createOnce(
  ctx: CommandContext,
  { kind, name }: FileDocument,
  send: () => Promise<ApiAnswer>,
): Promise<Created> {
  try {
    return { row: (await send()).value ?? null, isAnswered: true };
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    if (error.exit !== EXIT.unknown) throw error;
    const hint = sentence`Find out before you apply again: ${listCommand(kind.collection)}`;
    const look = async () => rowsNamed(await rowsOf(ctx, kind), name)[0];
    return { row: await findLost(ctx, error, hint, look), isAnswered: false };
  }
}

/** Sends the members that differ; variables with those that stay. */
export async function update(ctx: CommandContext, { document, row = null, body, item }: Planned, made: Made) {
  const { kind } = document;
  const changed = bodyOfChanges(withMade(kind, body, made), item.changes);
  const readRow = () => Promise.resolve(row);
  const filled = await completeBody(kind.table, changed, { ctx, values: {}, file: {}, readRow });
  // What the service takes for an empty member, in the place of null.
  let sent = withoutNull(filled);
  for (const path of acceptedPaths(kind)) {
    const empty = memberAt(filled, path) === null ? kind.emptied(path) : undefined;
    if (empty !== undefined) sent = withMember(sent, path.split('.'), empty);
  }
  return (await ctx.api.send(patch(resourceOf(kind), asId(idOf(row)), sent))).value ?? null;
}

/**
 * Reads it first: the service terminates a locked pod all the same. Returns whether it existed. Refused (5) if it was renamed,
 * locked or given to another set since the plan. `isOwn`: made by this run, which restricted access may remove.
 */
export async function remove(
  ctx: CommandContext,
  { collection }: FileKind,
  row: Json,
  isOwn = false,
): Promise<boolean> {
  const id = asId<string>(idOf(row));
  const request: ApiRequest = { service: 'base', method: 'DELETE', path: [...collection.path, id], id };
  try {
    const now = (await ctx.api.send(rowRequest(collection, id))).value ?? null;
    if (stringAt(now, 'status') === 'TERMINATED') return false;
    const changed = ['name', `env.${SET_MARK}`].filter((path) => memberAt(now, path) !== memberAt(row, path));
    if (memberAt(now, 'locked') === true) changed.push('locked');
    const message = `changed since the plan, so not removed: ${changed.join(', ')}`;
    if (changed.length > 0) throw new Failure({ code: 'refused', exit: EXIT.refused, message, id });
    await ctx.api.send({ ...request, checkCommand: listCommand(collection), ...(isOwn ? { destroys: false } : {}) });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** The list after the creates of a kind: once it has them, the next apply does not make them again. */
export async function listWith(
  ctx: CommandContext,
  kind: FileKind,
  created: readonly string[],
): Promise<readonly Json[]> {
  const found = await lookFor(ctx, async () => {
    const rows = await rowsOf(ctx, kind);
    const ids = new Set(rows.map(idOf));
    return created.every((id) => ids.has(id)) ? rows : undefined;
  });
  return found ?? (await rowsOf(ctx, kind));
}

/**
 * Of two with one mark the younger is removed by its maker, and the older one is the answer. Refused (5) for other doubles.
 * `rows` is the list after the creates of the kind.
 */
export async function withoutDouble(
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

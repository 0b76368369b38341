import { isDeepStrictEqual } from 'node:util';
import type { CommandContext } from '../../cli/model/context.ts';
import { bodyOf } from '../../cli/resource/field-writes.ts';
import { withMember } from '../../cli/resource/request-body.ts';
import { rowRequest } from '../../cli/resource/requests.ts';
import { createRequest, type CreateRequest, updateRequest } from '../../cli/resource/write.ts';
import { pluralOf } from '../../cli/words.ts';
import { createOnce, markOf } from './create-once.ts';
import { type Done, PartlyDone } from './outcome.ts';
import type { Account } from '../plan/account.ts';
import { costOf, NO_COST } from '../plan/cost.ts';
import { acceptedPaths } from '../plan/document.ts';
import type { FileKind } from '../plan/kinds.ts';
import { completeNew, planDocument, planRow } from '../plan/make-plan.ts';
import type { Planned } from '../plan/planned.ts';
import type { ApiRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, rethrowUnlessFailure, unlessFailed } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { encodeJson, type Json, type JsonObject, memberAt, objectOf, stringAt } from '../../core/json.ts';
import { berth, names } from '../../core/message.ts';
import { APPLY_MARK, SET_MARK, variableOf } from '../../create/key.ts';
import { differences } from '../../fleet/differences.ts';
import type { Item } from '../../fleet/model.ts';
import { bodyOfChanges, withoutNull } from '../../fleet/plan-item.ts';
import { idOf } from '../../output/view.ts';

function removeRequest({ collection }: FileKind, row: Json) {
  const id = asId<string>(idOf(row));
  const checkCommand = berth`${names(pluralOf(collection.noun))} list`;
  return { service: 'base', method: 'DELETE', path: [...collection.path, id], id, checkCommand } as const;
}

/** Failure (5). `done` is a sentence. */
const changedSinceRead = (what: string, members: readonly string[], done: string, id: string | undefined) =>
  new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: `${what} was changed by somebody else since it was read: ${members.join(', ')}`,
    hint: `${done} Run it again to see what there is to do now.`,
    ...(id === undefined ? {} : { id }),
  });

/** Reads it again; returns whether it existed. Refused (5) if renamed, in another set, or locked. `isOwn`: of this run. */
export async function removeRow(ctx: CommandContext, kind: FileKind, row: Json, isOwn = false): Promise<boolean> {
  const id = asId<string>(idOf(row));
  const read = async (): Promise<Json | undefined> => {
    try {
      const now = (await ctx.api.send(rowRequest(kind.collection, id))).value ?? null;
      return stringAt(now, 'status') === 'TERMINATED' ? undefined : now;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const withCost = async (failure: Failure, seen: Json): Promise<PartlyDone> => {
    const { before } = await costOf(ctx, kind.name, kind.adapt(objectOf(seen) ?? {}), {});
    return new PartlyDone(failure, { after: before });
  };
  const now = await read();
  if (now === undefined) return false;
  const changed = [
    ...(memberAt(now, 'name') === memberAt(row, 'name') ? [] : ['name']),
    ...(variableOf(now, SET_MARK) === variableOf(row, SET_MARK) ? [] : [`env.${SET_MARK}`]),
    ...(memberAt(now, 'locked') === true ? ['locked'] : []),
  ];
  if (changed.length > 0) throw await withCost(changedSinceRead('it', changed, 'It was not removed.', id), now);
  try {
    // Restricted access allows to remove what this run created.
    await ctx.api.send({ ...removeRequest(kind, row), ...(isOwn ? { destroys: false } : {}) });
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    if (error.exit === EXIT.unknown) {
      const seen = await unlessFailed(ctx, async () => ({ row: await read() }));
      if (seen === undefined) throw error;
      if (seen.row !== undefined) throw await withCost(error, seen.row);
    } else if (error.exit !== EXIT.notFound) throw error;
  }
  return true;
}

type WriteRequest = ApiRequest & { readonly body: JsonObject };

/** Reads it again first: refused (5) if it differs from the plan. Else fails as its write does. */
export async function applyItem(ctx: CommandContext, account: Account, planned: Planned): Promise<Done> {
  const now = await planDocument(ctx, account, planned.document);
  if (planned.item.action !== 'create') return await update(ctx, account, planned);
  if (now.row !== undefined) return { action: 'none', row: unchanged(planned, now, now.row) };
  return await create(ctx, planned, now);
}

async function create(ctx: CommandContext, planned: Planned, now: Planned): Promise<Done> {
  const { document } = planned;
  const { row, isAnswered } = await createOnce(ctx, document, async () => await sendNew(ctx, now));
  const done = { action: 'create', isAnswered } as const;
  try {
    const found = await planRow(ctx, document, document.kind.adapt(objectOf(row) ?? {}), now.body, true);
    const isLate = found.item.changes.every(({ path }) => lateMembers(document.kind).includes(path));
    if (isLate && found.item.action === 'update') return { ...done, row: await sendChange(ctx, found) };
    return { ...done, row: isAnswered ? row : unchanged(planned, found, row) };
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof PartlyDone) throw error;
    throw new PartlyDone(error, { done: { ...done, row } });
  }
}

/** Refused (5) if something must change now. */
function unchanged(planned: Planned, now: Planned, row: Json): Json {
  if (now.item.action === 'none') return row;
  throw moved(planned, now);
}

async function planAgain(ctx: CommandContext, account: Account, { document, row: before }: Planned): Promise<Planned> {
  const { kind } = document;
  const id = asId<string>(idOf(before ?? null));
  const row = kind.adapt(objectOf(await readAgain(ctx, rowRequest(kind.collection, id))) ?? {});
  return await planRow(ctx, document, row, await account.withIds(document, document.body, row));
}

/** Things that disappeared since the plan cost nothing. */
async function readAgain(ctx: CommandContext, request: ApiRequest): Promise<Json> {
  try {
    return (await ctx.api.send(request)).value ?? null;
  } catch (error) {
    throw isNotFound(error) ? new PartlyDone(error, { after: NO_COST }) : error;
  }
}

async function update(ctx: CommandContext, account: Account, planned: Planned): Promise<Done> {
  const read = () => planAgain(ctx, account, planned);
  const now = await read();
  if (now.item.action === 'none') return { action: 'none', row: now.row ?? null };
  if (!isSamePlan(planned.item, now.item)) throw moved(planned, now);
  try {
    return { action: 'update', row: await sendChange(ctx, now) };
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    if (error.exit !== EXIT.unknown) throw error;
    // No answer: it is done if a read shows it.
    const then = await unlessFailed(ctx, read);
    if (then === undefined) throw error;
    if (then.item.action !== 'none') throw new PartlyDone(error, { after: then.cost.before });
    return { action: 'update', row: then.row ?? null };
  }
}

/** Refused (5) if the answer differs from the document. */
async function sendChange(ctx: CommandContext, planned: Planned): Promise<JsonObject> {
  const { document, row, body, item } = planned;
  const answer = await ctx.api.send(await changeRequest(ctx, planned));
  const after = document.kind.adapt(objectOf(answer.value) ?? {});
  const laterPaths = item.changes.flatMap(({ path, effect }) => (effect === 'next-start' ? [path] : []));
  const left = differences(document.kind.planned(ctx), after, bodyOfChanges(body, item.changes))
    .map(({ path }) => path)
    .filter((path) => !laterPaths.includes(path));
  if (left.length === 0) return after;
  throw new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: `the service answered that ${labelOf(planned)} is changed, and shows another ${left.join(', ')}`,
    hint: 'Plan again to see what is left.',
    id: idOf(row ?? null),
  });
}

/** Ignores new values: names in the plan may be ids of created things by now. */
const isSamePlan = (one: Item, other: Item): boolean => isDeepStrictEqual(plain(one.changes), plain(other.changes));
const plain = (changes: Item['changes']): unknown =>
  changes
    .map(({ path, before }) => [path, encodeJson(before)])
    .toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1));

function moved(planned: Planned, { item: now, row, cost }: Planned): Failure {
  const before = new Map(planned.item.changes.map((change) => [change.path, encodeJson(change.before)]));
  const paths = now.changes.flatMap(({ path, before: found }) =>
    planned.item.action === 'create' || before.get(path) !== encodeJson(found) ? [path] : [],
  );
  const gone = planned.item.changes.flatMap(({ path }) =>
    planned.item.action === 'create' || now.changes.some((change) => change.path === path) ? [] : [path],
  );
  const id = row === undefined ? undefined : idOf(row);
  const failure = changedSinceRead(labelOf(planned), [...paths, ...gone], 'Nothing was sent for it.', id);
  return new PartlyDone(failure, { after: cost.before });
}

export const labelOf = ({ document: { kind, name } }: Planned): string => `${kind.name} ${name}`;

const nounOf = ({ document: { kind } }: Planned): string => pluralOf(kind.collection.noun);

async function newRequest(ctx: CommandContext, planned: Planned): Promise<CreateRequest> {
  const { document, body } = planned;
  const late = lateMembers(document.kind);
  const mark = markOf(document);
  const first = {
    ...Object.fromEntries(Object.entries(body).filter(([name]) => !late.includes(name))),
    ...(mark === undefined ? {} : { env: { ...objectOf(body['env']), [APPLY_MARK]: mark } }),
  };
  const complete = completeNew(ctx, document, first);
  const settled = await bodyOf(document.kind.table, 'create').completeFields?.(ctx, complete, {
    values: {},
    file: complete,
  });
  return createRequest(document.kind.collection, nounOf(planned), settled ?? complete);
}

async function sendNew(ctx: CommandContext, planned: Planned) {
  const { kind } = planned.document;
  const request = await newRequest(ctx, planned);
  try {
    return await (kind.sendNew === undefined ? ctx.api.send(request) : kind.sendNew(ctx, request));
  } catch (error) {
    throw error instanceof Failure ? (kind.refused?.(error) ?? error) : error;
  }
}

/** The members that differ; variables with those that stay. */
async function changeRequest(ctx: CommandContext, planned: Planned): Promise<WriteRequest> {
  const { document, row, body, item } = planned;
  const changed = bodyOfChanges(body, item.changes);
  const filled = await bodyOf(document.kind.table, 'update').fillFields?.(ctx, changed, {
    values: {},
    file: {},
    readRow: () => Promise.resolve(row ?? null),
  });
  const id = asId<string>(idOf(row ?? null));
  return updateRequest(document.kind.collection, nounOf(planned), id, withEmpty(ctx, document.kind, filled ?? changed));
}

/** Replaces null by what the service takes for an empty member. */
function withEmpty(ctx: CommandContext, kind: FileKind, body: JsonObject): JsonObject {
  const { emptied } = kind.planned(ctx);
  return acceptedPaths(kind).reduce<JsonObject>((result, path) => {
    const empty = memberAt(body, path) === null ? emptied(path) : undefined;
    return empty === undefined ? result : withMember(result, path.split('.'), empty);
  }, withoutNull(body));
}

/** Only an update takes them, such as the lock of a pod: they are sent after the create. */
const lateMembers = ({ table }: FileKind): readonly string[] =>
  bodyOf(table, 'update').accepts.filter((path) => !bodyOf(table, 'create').accepts.includes(path));

export async function requestsOf(ctx: CommandContext, planned: Planned): Promise<readonly ApiRequest[]> {
  const { document, item, body } = planned;
  if (item.action === 'update') return [await changeRequest(ctx, planned)];
  if (item.action === 'delete') return [removeRequest(document.kind, planned.row ?? null)];
  if (item.action !== 'create') return [];
  const late = lateMembers(document.kind).filter((name) => body[name] !== undefined && body[name] !== false);
  const later = Object.fromEntries(late.map((name) => [name, body[name]]));
  const update = updateRequest(document.kind.collection, nounOf(planned), asId<string>(document.name), later);
  return [await newRequest(ctx, planned), ...(late.length === 0 ? [] : [update])];
}

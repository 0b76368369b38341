import { isDeepStrictEqual } from 'node:util';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, rethrowUnlessFailure, unlessFailed } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { encodeJson, memberAt, objectOf, type Json, type JsonObject } from '../../core/json.ts';
import type { ApiRequest } from '../../core/api.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { withMember } from '../../cli/resource/body/body.ts';
import { bodyOf } from '../../cli/resource/body/field-writes.ts';
import { rememberRenamed } from '../../cli/resource/created.ts';
import { rowRequest } from '../../cli/resource/identity/requests.ts';
import { createRequest, updateRequest, type CreateRequest } from '../../cli/resource/write.ts';
import { pluralOf } from '../../cli/words/words.ts';
import { idOf } from '../../output/view.ts';
import { differences } from '../../fleet/differences.ts';
import { bodyOfChanges, withoutNull } from '../../fleet/plan-item.ts';
import type { Item } from '../../fleet/model.ts';
import type { Account } from '../plan/account.ts';
import { NO_COST } from '../plan/cost.ts';
import { acceptedPaths } from '../plan/document.ts';
import type { FileKind } from '../plan/kinds.ts';
import { completeNew, planDocument, planRow } from '../plan/make-plan.ts';
import { createOnce } from './create-once.ts';
import { PartlyDone, type Done } from './outcome.ts';
import { changedSinceRead, removeRequest } from './remove-item.ts';
import type { Planned } from '../plan/planned.ts';

type WriteRequest = ApiRequest & { readonly body: JsonObject };

/**
 * Does what a plan says about one document, after it was read again. Fails with refused (5) where it is not as the plan saw
 * it any more, and as its write does.
 */
export async function applyItem(ctx: CommandContext, account: Account, planned: Planned): Promise<Done> {
  const now = await planDocument(ctx, account, planned.document);
  if (planned.item.action !== 'create') return await update(ctx, account, planned);
  if (now.row !== undefined) return { action: 'none', row: unchanged(planned, now, now.row) };
  return await create(ctx, planned, now);
}

async function create(ctx: CommandContext, planned: Planned, now: Planned): Promise<Done> {
  const { document } = planned;
  const created = await createOnce(ctx, document, async () => await sendNew(ctx, now));
  const row = 'made' in created ? created.made : created.found;
  try {
    const found = await planRow(ctx, document, document.kind.adapt(objectOf(row) ?? {}), now.body, true);
    const isLate = found.item.changes.every(({ path }) => lateMembers(document.kind).includes(path));
    if (isLate && found.item.action === 'update') return { action: 'create', row: await sendChange(ctx, found) };
    return { action: 'create', row: 'made' in created ? row : unchanged(planned, found, row) };
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof PartlyDone) throw error;
    throw new PartlyDone(error, { done: { action: 'create', row } });
  }
}

/** A row that nothing is to be done about; otherwise it fails with refused (5). */
function unchanged(planned: Planned, now: Planned, row: Json): Json {
  if (now.item.action === 'none') return row;
  throw moved(planned, now);
}

/** Plans a thing again that is there, from its row alone. */
async function planAgain(ctx: CommandContext, account: Account, { document, row: before }: Planned): Promise<Planned> {
  const { kind } = document;
  const id = asId<string>(idOf(before ?? null));
  const row = kind.adapt(objectOf(await readAgain(ctx, rowRequest(kind.collection, id))) ?? {});
  return await planRow(ctx, document, row, await account.withIds(document, document.body, row));
}

/** Reads what was there when the plan was made; what is gone by now costs nothing. */
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
    // No answer: it is done if it reads so.
    const then = await unlessFailed(ctx, read);
    if (then === undefined) throw error;
    if (then.item.action !== 'none') throw new PartlyDone(error, { after: then.cost.before });
    return { action: 'update', row: then.row ?? null };
  }
}

/** Sends an update. Fails with refused (5) where the answer is not as the document says. */
async function sendChange(ctx: CommandContext, planned: Planned): Promise<JsonObject> {
  const { document, row, body, item } = planned;
  const answer = await ctx.api.send(await changeRequest(ctx, planned));
  await rememberRenamed(ctx, document.kind.collection.noun, answer.value ?? null);
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

/**
 * Whether two plans of a document change the same members from the same values. What they become is not compared: it is of
 * the same document, and an id by now where the plan had the name of what was made in between.
 */
const isSamePlan = (one: Item, other: Item): boolean => isDeepStrictEqual(plain(one.changes), plain(other.changes));
const plain = (changes: Item['changes']): unknown =>
  changes
    .map(({ path, before }) => [path, encodeJson(before)])
    .toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1));

/** The failure where what is there has changed since the plan was made. */
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

/** `pod lab`. */
export const labelOf = ({ document: { kind, name } }: Planned): string => `${kind.name} ${name}`;

const nounOf = ({ document: { kind } }: Planned): string => pluralOf(kind.collection.noun);

/** The request that creates what a document describes. */
async function newRequest(ctx: CommandContext, planned: Planned): Promise<CreateRequest> {
  const { document, body } = planned;
  const late = lateMembers(document.kind);
  const first = Object.fromEntries(Object.entries(body).filter(([name]) => !late.includes(name)));
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

/** The request that makes a row what a document describes: the members that differ, variables with those that stay. */
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

/** A body of an update with what the service takes for an empty member in the place of null. */
function withEmpty(ctx: CommandContext, kind: FileKind, body: JsonObject): JsonObject {
  const { emptied } = kind.planned(ctx);
  return acceptedPaths(kind).reduce<JsonObject>((result, path) => {
    const empty = memberAt(body, path) === null ? emptied(path) : undefined;
    return empty === undefined ? result : withMember(result, path.split('.'), empty);
  }, withoutNull(body));
}

/** Members that only an update takes, such as the lock of a pod: they are sent after the create. */
const lateMembers = ({ table }: FileKind): readonly string[] =>
  bodyOf(table, 'update').accepts.filter((path) => !bodyOf(table, 'create').accepts.includes(path));

/** The requests of an item, for a dry run. */
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

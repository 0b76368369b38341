import { isDeepStrictEqual } from 'node:util';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, rethrowUnlessFailure } from '../../core/failure.ts';
import { asId } from '../../core/ids.ts';
import { encodeJson, objectOf, type Json, type JsonObject } from '../../core/json.ts';

import type { ApiRequest } from '../../core/api.ts';
import type { CommandContext } from '../../cli/model/context.ts';
import { bodyOf } from '../../cli/resource/body/field-writes.ts';
import { rowRequest } from '../../cli/resource/identity/requests.ts';
import { createRequest, updateRequest, type CreateRequest } from '../../cli/resource/write.ts';
import { pluralOf } from '../../cli/words/words.ts';
import { idOf } from '../../output/view.ts';
import { differences } from '../../fleet/differences.ts';
import { bodyOfChanges } from '../../fleet/plan-item.ts';
import type { Item } from '../../fleet/model.ts';
import type { Account } from '../plan/account.ts';
import { completeNew, planDocument, planRow, type Planned } from '../plan/make-plan.ts';
import { createOnce } from './create-once.ts';

type WriteRequest = ApiRequest & { readonly body: JsonObject };

/** What was done about a document, and the thing as it is now. */
export interface Done {
  readonly action: 'none' | 'create' | 'update';
  readonly row: Json;
}

/**
 * Does what a plan says about one document, after it was read again. Fails with refused (5) where it is not as the plan saw
 * it any more, and as its write does.
 */
export async function applyItem(ctx: CommandContext, account: Account, planned: Planned): Promise<Done> {
  const { document } = planned;
  const now = await planDocument(ctx, account, document);
  if (planned.item.action === 'create') {
    if (now.row !== undefined) return { action: 'none', row: unchanged(planned, now, now.row) };
    const created = await createOnce(ctx, document, async () => await sendNew(ctx, now));
    if ('made' in created) return { action: 'create', row: created.made };
    const found = await planRow(ctx, document, document.kind.adapt(objectOf(created.found) ?? {}), now.body);
    return { action: 'create', row: unchanged(planned, found, created.found) };
  }
  return await update(ctx, account, planned);
}

/** A row that nothing is to be done about; otherwise it fails with refused (5). */
function unchanged(planned: Planned, now: Planned, row: Json): Json {
  if (now.item.action === 'none') return row;
  throw moved(planned, now.item, now);
}

async function update(ctx: CommandContext, account: Account, planned: Planned): Promise<Done> {
  const { document } = planned;
  const { kind } = document;
  const id = asId<string>(idOf(planned.row ?? null));
  const read = async (): Promise<Planned> => {
    const row = kind.adapt(objectOf((await ctx.api.send(rowRequest(kind.collection, id))).value) ?? {});
    return await planRow(ctx, document, row, await account.withIds(document, document.body, row));
  };
  const now = await read();
  if (now.item.action === 'none') return { action: 'none', row: now.row ?? null };
  if (!isSamePlan(planned.item, now.item)) throw moved(planned, now.item, now);
  let after: JsonObject;
  try {
    const answer = await ctx.api.send(await changeRequest(ctx, now));
    after = kind.adapt(objectOf(answer.value) ?? {});
  } catch (error) {
    rethrowUnlessFailure(error, ctx);
    if (error.exit !== EXIT.unknown) throw error;
    // No answer: it is done if it reads so.
    const then = await read();
    if (then.item.action !== 'none') throw error;
    return { action: 'update', row: then.row ?? null };
  }
  const left = differences(kind.planned(ctx), after, bodyOfChanges(now.body, now.item.changes)).map(({ path }) => path);
  if (left.length > 0)
    throw new Failure({
      code: 'refused',
      exit: EXIT.refused,
      message: `the service answered that ${labelOf(planned)} is changed, and shows another ${left.join(', ')}`,
      hint: 'Plan again to see what is left.',
      id,
    });
  return { action: 'update', row: after };
}

/** Whether two plans of a document do the same to the same values. */
const isSamePlan = (one: Item, other: Item): boolean => isDeepStrictEqual(plain(one.changes), plain(other.changes));
const plain = (changes: Item['changes']): unknown =>
  changes
    .map(({ path, before, after }) => [path, encodeJson(before), encodeJson(after)])
    .toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1));

/** The failure where what is there has changed since the plan was made. */
function moved(planned: Planned, now: Item, { row }: Planned): Failure {
  const before = new Map(planned.item.changes.map((change) => [change.path, encodeJson(change.before)]));
  const paths = now.changes.flatMap(({ path, before: found }) =>
    planned.item.action === 'create' || before.get(path) !== encodeJson(found) ? [path] : [],
  );
  const gone = planned.item.changes.flatMap(({ path }) =>
    planned.item.action === 'create' || now.changes.some((change) => change.path === path) ? [] : [path],
  );
  return new Failure({
    code: 'refused',
    exit: EXIT.refused,
    message: `${labelOf(planned)} was changed by somebody else since it was read: ${[...paths, ...gone].join(', ')}`,
    hint: 'Nothing was sent for it. Run it again to see what there is to do now.',
    ...(row === undefined ? {} : { id: idOf(row) }),
  });
}

/** `pod lab`. */
export const labelOf = ({ document: { kind, name } }: Planned): string => `${kind.name} ${name}`;

const nounOf = ({ document: { kind } }: Planned): string => pluralOf(kind.collection.noun);

/** The request that creates what a document describes. */
async function newRequest(ctx: CommandContext, planned: Planned): Promise<CreateRequest> {
  const { document, body } = planned;
  const complete = completeNew(ctx, document, body);
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
  return updateRequest(document.kind.collection, nounOf(planned), id, filled ?? changed);
}

/** The request of an item, for a dry run; undefined where there is nothing to send. */
export async function requestOf(ctx: CommandContext, planned: Planned): Promise<WriteRequest | undefined> {
  if (planned.item.action === 'create') return await newRequest(ctx, planned);
  return planned.item.action === 'update' ? await changeRequest(ctx, planned) : undefined;
}

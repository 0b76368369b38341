import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, isNotFound, rethrowUnlessFailure } from '../../../core/failure.ts';
import { arrayOf, memberAt, stringOf, type Json, type JsonObject } from '../../../core/json.ts';
import type { CommandContext } from '../../model/context.ts';
import type { Param } from '../../model/params.ts';
import { withMember, type Member } from './body.ts';
import type { Collection } from '../../model/collection.ts';
import { unlessUnread } from '../../run/context/dry-run.ts';
import { findId, readRow } from '../identity/identify.ts';

/** Members of a body that hold the id of another resource, by their path: one id, or a list of them. */
export type References = Readonly<Record<string, Collection>>;

/** The flag of a member; the list of the resource that the member refers to completes it. */
export function withCompletion(references: References | undefined, { param, path }: Member): Param<unknown> {
  const list = references?.[path];
  return list === undefined || param.complete !== undefined ? param : { ...param, complete: list };
}

/**
 * Sends a body whose references may be names. They are tried as ids first, so that ids cost no extra request. If the
 * service answers 404, or 400 as creates of templates and clusters do, nothing happened: they are looked up as names, and the
 * body is sent once more with the ids if any was a name. Fails with usage (2) and the candidates if several have a name.
 */
export async function sendReferences<T>(
  ctx: CommandContext,
  references: References,
  body: JsonObject,
  send: (body: JsonObject) => Promise<T>,
): Promise<T> {
  const known = async (collection: Collection, word: string) =>
    ctx.ids.get(collection, word) ??
    // A dry run does not see the answer that tells a name from an id.
    (ctx.dryRun ? (await unlessUnread(ctx, () => readRow(ctx, collection, word)))?.id : undefined);
  const first = await replaced(references, body, known);
  try {
    return await send(first);
  } catch (error) {
    if (!isNotFound(error) && !isBadRequest(error)) throw error;
    const look = async () => await replaced(references, first, (collection, word) => findId(ctx, collection, word));
    // A 400 may have any other reason: then it is that which is told.
    const resolved = isNotFound(error)
      ? await look()
      : await look().catch((other: unknown) => {
          rethrowUnlessFailure(other, ctx);
          throw other.exit === EXIT.usage ? other : error;
        });
    if (resolved === first) throw error;
    return await send(resolved);
  }
}

const isBadRequest = (error: unknown): boolean => error instanceof Failure && error.status === 400;

/** The body with ids in place of names; the same object if nothing in it changes. */
async function replaced(
  references: References,
  body: JsonObject,
  idOf: (collection: Collection, word: string) => Promise<string | undefined>,
): Promise<JsonObject> {
  let result = body;
  for (const [path, collection] of Object.entries(references)) {
    const given = memberAt(body, path);
    const items = arrayOf(given);
    const ids: Json[] = [];
    for (const item of items ?? [given ?? null]) {
      const word = stringOf(item);
      ids.push(word === undefined ? item : ((await idOf(collection, word)) ?? item));
    }
    if (ids.every((id, at) => id === (items ?? [given ?? null])[at])) continue;
    result = withMember(result, path.split('.'), items === undefined ? (ids[0] ?? null) : ids);
  }
  return result;
}

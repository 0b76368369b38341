import type { Collection } from '../model/collection.ts';
import type { CommandContext } from '../model/context.ts';
import type { Param } from '../model/params.ts';
import { findId, readRow } from './identify.ts';
import { type Member, withMember } from './request-body.ts';
import { unlessUnread } from '../run/dry-run.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isNotFound, rethrowUnlessFailure } from '../../core/failure.ts';
import { arrayOf, type Json, type JsonObject, memberAt, stringOf } from '../../core/json.ts';

/** By path of the member: one id, or a list of them. */
export type References = Readonly<Record<string, Collection>>;

export function withCompletion(references: References | undefined, { param, path }: Member): Param<unknown> {
  const list = references?.[path];
  return list === undefined || param.complete !== undefined ? param : { ...param, complete: list };
}

/** Tries words as ids first; after 404 (or 400) looks up names and sends once more. Ambiguous: usage (2). */
export async function sendReferences<T>(
  ctx: CommandContext,
  references: References,
  body: JsonObject,
  send: (body: JsonObject) => Promise<T>,
): Promise<T> {
  const known = async (collection: Collection, word: string) =>
    ctx.ids.get(collection, word) ??
    (ctx.dryRun ? (await unlessUnread(ctx, () => readRow(ctx, collection, word)))?.id : undefined);
  const first = await replaced(references, body, known);
  try {
    return await send(first);
  } catch (error) {
    if (!isNotFound(error) && !isBadRequest(error)) throw error;
    const look = async () => await replaced(references, first, (collection, word) => findId(ctx, collection, word));
    // A 400 may have another reason: then that one is reported.
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

/** Returns the same object if nothing changes. */
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

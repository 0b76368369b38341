import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { arrayOf, memberAt, stringOf, type Json, type JsonObject } from '../../core/json.ts';
import type { CommandContext } from '../context.ts';
import { idNamed, type Lookup } from './lookup.ts';
import { withMember } from './body.ts';

/** Members of a body that hold the id of something else, by their path: one id, or a list of them. */
export type References = Readonly<Record<string, Lookup>>;

/**
 * Does something with a body whose references may be names. They are taken for ids first, so that ids cost no extra
 * request; only when the service answers 404 are they looked up. Ambiguous names end 2 and list the candidates. `use`
 * may run twice, the first time with no effect (a 404).
 */
export async function withReferences<T>(
  ctx: CommandContext,
  references: References,
  body: JsonObject,
  use: (body: JsonObject) => Promise<T>,
): Promise<T> {
  try {
    return await use(body);
  } catch (error) {
    if (!(error instanceof Failure) || error.exit !== EXIT.notFound || ctx.dryRun) throw error;
    const known = await withIds(ctx, references, body);
    if (known === undefined) throw error;
    return await use(known);
  }
}

/** The body with ids in the place of names; undefined where nothing in it is a name. */
async function withIds(ctx: CommandContext, references: References, body: JsonObject): Promise<JsonObject | undefined> {
  let known: JsonObject | undefined;
  for (const [path, lookup] of Object.entries(references)) {
    const given = memberAt(body, path);
    const items = arrayOf(given);
    const texts = (items ?? [given]).map(stringOf);
    const ids: (string | undefined)[] = [];
    for (const text of texts) ids.push(text === undefined ? undefined : await idNamed(ctx, lookup, text));
    if (ids.every((id) => id === undefined)) continue;
    const member: Json = items === undefined ? (ids[0] ?? null) : items.map((item, at) => ids[at] ?? item);
    known = withMember(known ?? body, path.split('.'), member);
  }
  return known;
}

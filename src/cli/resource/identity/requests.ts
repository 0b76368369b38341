import { readRequest, type ApiRequest } from '../../../core/api.ts';
import type { Id } from '../../../core/ids.ts';
import { itemsAt, type Json } from '../../../core/json.ts';
import type { CommandContext } from '../../context.ts';
import type { Collection, Query } from './collection.ts';

/** The request for one row of a collection. */
export const rowRequest = ({ path }: Pick<Collection, 'path'>, id: Id, query: Query = {}): ApiRequest =>
  readRequest([...path, id], { id, query });

/** The request for the rows of a collection. */
export const listRequest = ({ path, member }: Pick<Collection, 'path' | 'member'>, query: Query = {}): ApiRequest =>
  readRequest(path, { query, expects: { list: member } });

/** Reads the rows of a collection. Fails with unavailable (7) if the answer has no list. */
export async function listRows(
  ctx: CommandContext,
  collection: Pick<Collection, 'path' | 'member'>,
  query?: Query,
): Promise<{ readonly values: readonly Json[]; readonly text: string }> {
  const { value, text } = await ctx.api.send(listRequest(collection, query));
  return { values: itemsAt(value, collection.member), text };
}

/** Reads the rows that names are looked up in, at most once in a run. */
export const lookupRows = (ctx: CommandContext, collection: Collection): Promise<readonly Json[]> =>
  ctx.ids.rows(collection, async () => (await listRows(ctx, collection, collection.lookupQuery)).values);

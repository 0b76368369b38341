import { readRequest, type ApiRequest, type ListRequest } from '../../../core/api.ts';
import type { Id } from '../../../core/ids.ts';
import { idOf } from '../../../output/view.ts';
import { stringAt, type Json } from '../../../core/json.ts';
import type { CommandContext } from '../../model/context.ts';
import { readList, type WholeList } from '../pages/read-list.ts';
import type { Collection, Query } from '../../model/collection.ts';

/** The request for one row of a collection. */
export const rowRequest = ({ path }: Pick<Collection, 'path'>, id: Id, query: Query = {}): ApiRequest =>
  readRequest([...path, id], { id, query, expects: 'resource' });

/** The request for the first page of the rows of a collection. `readList` sends it, and those for the other pages. */
export const listRequest = ({ path, member }: Pick<Collection, 'path' | 'member'>, query: Query = {}): ListRequest => ({
  ...readRequest(path, { query }),
  expects: { list: member },
});

/** Reads the rows of a collection, of all pages. Fails with unavailable (7) if the answer has no list or not all of it. */
export async function listRows(
  ctx: CommandContext,
  collection: Pick<Collection, 'path' | 'member' | 'billed'>,
  query?: Query,
): Promise<WholeList> {
  const list = await readList(ctx.api, listRequest(collection, query));
  await rememberNames(ctx, collection, list.values);
  return list;
}

/** Remembers the names of rows that bills will name by their ids. */
export async function rememberNames(
  { names }: CommandContext,
  { billed }: Pick<Collection, 'billed'>,
  rows: readonly Json[],
): Promise<void> {
  if (billed === true && rows.length > 0)
    await names.add(rows.map((row) => [idOf(row), stringAt(row, 'name') ?? ''] as const));
}

/** Reads the rows that names are looked up in, at most once in a run. */
export const lookupRows = (ctx: CommandContext, collection: Collection): Promise<readonly Json[]> =>
  ctx.ids.rows(collection, async () => (await listRows(ctx, collection, collection.lookupQuery)).values);

import type { Collection, Query } from '../model/collection.ts';
import type { CommandContext } from '../model/context.ts';
import { readList, type WholeList } from './pages.ts';
import { type ApiRequest, type ListRequest, readRequest } from '../../core/api.ts';
import type { Id } from '../../core/ids.ts';
import { type Json, stringAt } from '../../core/json.ts';
import { idOf } from '../../output/view.ts';

export const rowRequest = ({ path }: Pick<Collection, 'path'>, id: Id, query: Query = {}): ApiRequest =>
  readRequest([...path, id], { id, query, expects: 'resource' });

export const listRequest = ({ path, member }: Pick<Collection, 'path' | 'member'>, query: Query = {}): ListRequest => ({
  ...readRequest(path, { query }),
  expects: { list: member },
});

/** All pages. Fails with unavailable (7) if the answer has no list or is incomplete. */
export async function listRows(
  ctx: CommandContext,
  collection: Pick<Collection, 'path' | 'member' | 'billed'>,
  query?: Query,
): Promise<WholeList> {
  const list = await readList(ctx.api, listRequest(collection, query));
  await rememberNames(ctx, collection, list.values);
  return list;
}

export async function rememberNames(
  { names }: CommandContext,
  { billed }: Pick<Collection, 'billed'>,
  rows: readonly Json[],
): Promise<void> {
  if (billed === true && rows.length > 0)
    await names.add(rows.map((row) => [idOf(row), stringAt(row, 'name') ?? ''] as const));
}

/** At most once in a run. */
export const lookupRows = (ctx: CommandContext, collection: Collection): Promise<readonly Json[]> =>
  ctx.ids.rows(collection, async () => (await listRows(ctx, collection, collection.lookupQuery)).values);

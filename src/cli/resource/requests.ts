import type { Collection, Query } from '../model/collection.ts';
import type { CommandContext } from '../model/context.ts';
import { readList, type WholeList } from './pages.ts';
import { type ApiRequest, type ListRequest, readRequest } from '../../core/api.ts';
import type { Id } from '../../core/ids.ts';
import type { Json } from '../../core/json.ts';

export const rowRequest = ({ path }: Pick<Collection, 'path'>, id: Id, query: Query = {}): ApiRequest =>
  readRequest([...path, id], { id, query, expects: 'resource' });

export const listRequest = ({ path, member }: Pick<Collection, 'path' | 'member'>, query: Query = {}): ListRequest => ({
  ...readRequest(path, { query }),
  expects: { list: member },
});

/** All pages. Fails with unavailable (7) if the answer has no list or is incomplete. */
export const listRows = (
  ctx: CommandContext,
  collection: Pick<Collection, 'path' | 'member'>,
  query?: Query,
): Promise<WholeList> => readList(ctx.api, listRequest(collection, query));

/** At most once in a run. */
export const lookupRows = (ctx: CommandContext, collection: Collection): Promise<readonly Json[]> =>
  ctx.ids.rows(collection, async () => (await listRows(ctx, collection, collection.lookupQuery)).values);

import type { Collection, Query } from '../model/collection.ts';
import type { CommandContext } from '../model/context.ts';
import { type Api, type ApiAnswer, type ApiRequest, type ListRequest, readRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt } from '../../core/failure.ts';
import { itemsAt, type Json, type JsonObject, memberOf, objectOf, stringAt } from '../../core/json.ts';
import { lines } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';

interface Page {
  readonly rows: readonly Json[];
  readonly document: JsonObject;
  readonly hasMore: boolean;
}

/** A service could name a next page forever. */
export const MAX_PAGES = 1000;

/** Omits repeated ids. A failed later page is unavailable (7): rows so far are partial (additions 1). */
export async function* followPages(api: Pick<Api, 'send'>, request: ListRequest): AsyncGenerator<Page> {
  const { list } = request.expects;
  const ids = new Set<string>();
  const cursors = new Set<string | undefined>();
  let cursor: string | undefined;
  for (let number = 1; ; number++) {
    const { value } = await readPage(api, request, number, cursor);
    const document = objectOf(value) ?? {};
    cursor = nextCursor(request, document, number);
    if (cursor !== undefined && cursors.has(cursor)) throw incompleteList(list, `page ${number} names a cursor again`);
    if (cursor !== undefined && number === MAX_PAGES) throw incompleteList(list, `it has more than ${MAX_PAGES} pages`);
    cursors.add(cursor);
    const hasMore = cursor !== undefined;
    const rows = itemsAt(document, list);
    // A list of one page is shown as the service sent it.
    yield { rows: number === 1 && !hasMore ? rows : newRows(rows, ids), document, hasMore };
    if (!hasMore) return;
  }
}

/** The failure of a later page names it and says that the list is incomplete. */
async function readPage(
  api: Pick<Api, 'send'>,
  request: ListRequest,
  number: number,
  cursor: string | undefined,
): Promise<ApiAnswer> {
  if (cursor === undefined) return await api.send(request);
  try {
    return await api.send({ ...request, query: { ...request.query, cursor } });
  } catch (error) {
    if (isInterrupt(error) || !(error instanceof Failure)) throw error;
    const isOfKeyOrRate = error.exit === EXIT.denied || error.exit === EXIT.rateLimited;
    const { message, exit, code } = incompleteList(request.expects.list, `page ${number} failed: ${error.message}`);
    throw error.with({ ...(isOfKeyOrRate ? {} : { code, exit }), message, hint: lines(PART, error.hint) });
  }
}

/** Undefined on the last page. Fails if the page does not say whether it is the last. */
function nextCursor(request: ListRequest, document: JsonObject, number: number): string | undefined {
  const { list } = request.expects;
  const pagination = memberOf(document, 'pagination');
  if (pagination === undefined && number === 1) {
    const count = itemsAt(document, list).length;
    if (PAGED.includes(request.path[1] ?? '') && count >= PAGE_SIZE)
      throw incompleteList(list, `it has ${count} rows, as many as a page, and no pagination`);
    return undefined;
  }
  const hasNextPage = memberOf(pagination, 'hasNextPage');
  const cursor = stringAt(pagination, 'nextCursor') ?? '';
  if (typeof hasNextPage !== 'boolean')
    throw incompleteList(list, `page ${number} does not say whether another one follows (pagination.hasNextPage)`);
  if (hasNextPage && cursor === '')
    throw incompleteList(list, `page ${number} has a next page without a cursor (pagination.nextCursor)`);
  return hasNextPage ? cursor : undefined;
}

/** Page size (additions 1) of the lists that had pages before every list had `pagination`. Others are complete without. */
const PAGE_SIZE = 1000;
const PAGED = ['pods', 'serverless', 'templates'];

/** Adds their ids. Rows without an id are always new. */
const newRows = (rows: readonly Json[], ids: Set<string>): readonly Json[] =>
  rows.filter((row) => {
    const id = stringAt(row, 'id');
    const isNew = id === undefined || !ids.has(id);
    if (id !== undefined) ids.add(id);
    return isNew;
  });

const PART = 'What was read is a part of the list: nothing is concluded from it. Try again later.';

function incompleteList(list: string, why: string): Failure {
  const what = list === '' ? 'the list' : `the list "${safeText(list)}"`;
  const message = `${what} is incomplete: ${why}`;
  return new Failure({ code: 'incomplete-list', exit: EXIT.unavailable, message, hint: PART });
}

export interface WholeList {
  readonly values: readonly Json[];
  /** The last page, with the rows of all. */
  readonly document: JsonObject;
  readonly pages: number;
  /** There may be rows beyond the limit. */
  readonly isCut: boolean;
}

/** The rows that `keep` wants, up to the limit. Fails as `followPages` does: an incomplete list gives no rows. */
export async function readList(
  api: Pick<Api, 'send'>,
  request: ListRequest,
  {
    keep = () => true,
    limit = Infinity,
  }: { readonly keep?: (row: Json) => boolean; readonly limit?: number | undefined } = {},
): Promise<WholeList> {
  const values: Json[] = [];
  let document: JsonObject = {};
  let pages = 0;
  let isCut = false;
  for await (const page of followPages(api, request)) {
    const wanted = page.rows.filter(keep);
    const rows = wanted.slice(0, limit - values.length);
    for (const row of rows) values.push(row);
    document = page.document;
    pages += 1;
    if (values.length < limit) continue;
    isCut = rows.length < wanted.length || page.hasMore;
    break;
  }
  return { values, document: { ...document, [request.expects.list]: values }, pages, isCut };
}

/** Rows are the only array of the first answer; with no `pagination` and no array it is returned as is. */
export async function readAnyList(api: Pick<Api, 'send'>, request: ApiRequest): Promise<WholeList | ApiAnswer> {
  const first = await api.send(request);
  const document = objectOf(first.value) ?? {};
  const [list, ...others] = Object.keys(document).filter((name) => Array.isArray(document[name]));
  if (list === undefined || others.length > 0) {
    if (memberOf(document, 'pagination') === undefined) return first;
    throw incompleteList('', 'the answer has pages, and its rows are not the only array in it');
  }
  const read = [first];
  const send = async (page: ApiRequest): Promise<ApiAnswer> => read.pop() ?? (await api.send(page));
  return await readList({ send }, { ...request, expects: { list } });
}

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

import type { Api, ApiAnswer, ApiRequest, ListRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt } from '../../core/failure.ts';
import { itemsAt, type Json, type JsonObject, memberOf, objectOf, stringAt } from '../../core/json.ts';
import { berth, lines, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';

export interface Page {
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
  const cursors = new Set<unknown>([request.query?.['cursor']].flat());
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
    throw error.with({
      ...(isOfKeyOrRate ? {} : { code: CODE, exit: EXIT.unavailable }),
      message: `${nameOf(request.expects.list)} is incomplete: page ${number} failed: ${error.message}`,
      hint: lines(PART, error.hint),
    });
  }
}

/** Undefined on the last page. Fails if the page does not say whether it is the last. */
function nextCursor(request: ListRequest, document: JsonObject, number: number): string | undefined {
  const { list } = request.expects;
  const pagination = memberOf(document, 'pagination');
  if (pagination === undefined && number === 1) {
    checkUnpaged(request, itemsAt(document, list).length);
    return undefined;
  }
  const hasNextPage = memberOf(pagination, 'hasNextPage');
  if (typeof hasNextPage !== 'boolean')
    throw incompleteList(list, `page ${number} does not say whether another one follows (pagination.hasNextPage)`);
  if (!hasNextPage) return undefined;
  const cursor = stringAt(pagination, 'nextCursor');
  if (cursor === undefined || cursor === '')
    throw incompleteList(
      list,
      `page ${number} says that another one follows, and names no cursor (pagination.nextCursor)`,
    );
  return cursor;
}

/** Page sizes (additions 1); `*` is any segment. Other lists are complete without `pagination`. */
const PAGE_SIZES: Readonly<Record<string, number>> = {
  'v2/pods': 1000,
  'v2/serverless': 1000,
  'v2/templates': 1000,
  'v2/serverless/*/releases': 1000,
  'v2/serverless/*/builds': 100,
};

/** Services before autumn 2026 send no `pagination`: a full page of rows may be the first of more. */
function checkUnpaged({ path, service, expects: { list } }: ListRequest, count: number): void {
  const pattern = path.map((segment, at) => (at === 2 ? '*' : segment)).join('/');
  const size = service === 'base' ? PAGE_SIZES[pattern] : undefined;
  if (size === undefined || count < size) return;
  throw new Failure({
    code: CODE,
    exit: EXIT.unavailable,
    message: `${nameOf(list)} may be incomplete: ${count} rows came, as many as a page has, and the service does not say whether more follow`,
    hint: sentence`Nothing is concluded from a part of a list. To see the answer as it came: ${berth`api GET`}`,
  });
}

/** Adds their ids. Rows without an id are always new. */
const newRows = (rows: readonly Json[], ids: Set<string>): readonly Json[] =>
  rows.filter((row) => {
    const id = stringAt(row, 'id');
    const isNew = id === undefined || !ids.has(id);
    if (id !== undefined) ids.add(id);
    return isNew;
  });

const CODE = 'incomplete-list';
const PART = 'What was read is a part of the list: nothing is concluded from it. Try again later.';

const nameOf = (list: string): string => (list === '' ? 'the list' : `the list "${safeText(list)}"`);

const incompleteList = (list: string, why: string): Failure =>
  new Failure({ code: CODE, exit: EXIT.unavailable, message: `${nameOf(list)} is incomplete: ${why}`, hint: PART });

export interface WholeList {
  readonly values: readonly Json[];
  /** The last page, with the rows of all. */
  readonly document: JsonObject;
  readonly pages: number;
  /** Rows beyond the limit: `maybe` if pages were not read. */
  readonly beyond?: 'maybe' | 'some' | undefined;
}

interface Wanted {
  readonly keep?: (row: Json) => boolean;
  readonly limit?: number | undefined;
}

/** The rows that `keep` wants, up to the limit. Fails as `followPages` does: an incomplete list gives no rows. */
export async function readList(
  api: Pick<Api, 'send'>,
  request: ListRequest,
  { keep = () => true, limit = Infinity }: Wanted = {},
): Promise<WholeList> {
  const values: Json[] = [];
  let document: JsonObject = {};
  let pages = 0;
  let beyond: WholeList['beyond'];
  for await (const page of followPages(api, request)) {
    const wanted = page.rows.filter(keep);
    const rows = wanted.slice(0, limit - values.length);
    for (const row of rows) values.push(row);
    document = page.document;
    pages += 1;
    if (values.length < limit) continue;
    if (rows.length < wanted.length) beyond = 'some';
    else if (page.hasMore) beyond = 'maybe';
    break;
  }
  return { values, document: { ...document, [request.expects.list]: values }, pages, beyond };
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
  let isFirst = true;
  const send = async (each: ApiRequest): Promise<ApiAnswer> => {
    if (!isFirst) return await api.send(each);
    isFirst = false;
    return first;
  };
  return await readList({ send }, { ...request, expects: { list } });
}

import type { Api, ApiAnswer, ListRequest } from '../../../core/api.ts';
import { EXIT } from '../../../core/exit-codes.ts';
import { Failure, isInterrupt } from '../../../core/failure.ts';
import { itemsAt, memberOf, objectOf, stringAt, type Json, type JsonObject } from '../../../core/json.ts';
import { safeText } from '../../../core/safe-text.ts';
import { berth, lines, sentence } from '../../../core/message.ts';
import type { RowsSource } from '../../../output/view.ts';

/** One page of a list. */
export interface Page {
  /** Its rows, without those that an earlier page had. */
  readonly rows: readonly Json[];
  /** The same rows as the service sent them. */
  readonly source: RowsSource;
  /** The whole answer. */
  readonly document: JsonObject;
  /** Whether another page follows. */
  readonly hasMore: boolean;
}

/** The most pages that are read of one list: a service could name another page for ever. */
export const MAX_PAGES = 1000;

/**
 * Reads a list page by page, as long as the service says that there are more (additions to the contract, 1). Each page is
 * requested with the query of the first one and the cursor of the page before it. A row whose id an earlier page had is
 * left out: what is created meanwhile moves rows to the next page. A page may be empty while others follow.
 *
 * Fails as a request does for the first page. Fails with unavailable (7) when a later page fails and when a page says
 * nothing usable about the next one: the rows so far are then a part of the list, and nothing may be concluded from them.
 * A later page that is refused for the key or the rate limit fails as such (3, 6).
 */
export async function* followPages(api: Pick<Api, 'send'>, request: ListRequest): AsyncGenerator<Page> {
  const { list } = request.expects;
  const ids = new Set<string>();
  const cursors = new Set<unknown>([request.query?.['cursor']].flat());
  let cursor: string | undefined;
  for (let number = 1; ; number++) {
    const { value, text } = await readPage(api, request, number, cursor);
    const document = objectOf(value) ?? {};
    cursor = nextCursor(request, document, number);
    if (cursor !== undefined && cursors.has(cursor)) throw incompleteList(list, `page ${number} names a cursor again`);
    if (cursor !== undefined && number === MAX_PAGES) throw incompleteList(list, `it has more than ${MAX_PAGES} pages`);
    cursors.add(cursor);
    const hasMore = cursor !== undefined;
    const rows = itemsAt(document, list);
    // A list that is one page is shown as the service sent it.
    const repeated = number === 1 && !hasMore ? new Set<number>() : repeatedRows(rows, ids);
    yield {
      rows: repeated.size === 0 ? rows : rows.filter((_, at) => !repeated.has(at)),
      source: { text, member: list, without: repeated },
      document,
      hasMore,
    };
    if (!hasMore) return;
  }
}

/** Sends the request for a page. The failure of a later page says which one it is, and that the list is incomplete. */
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

/** The cursor of the next page; undefined on the last one. Fails where the page does not say which of both it is. */
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

/**
 * The lists that come in pages, and the size of a page (additions to the contract, 1). `*` is any segment. All other lists
 * are whole without `pagination`.
 */
const PAGE_SIZES: Readonly<Record<string, number>> = {
  'v2/pods': 1000,
  'v2/serverless': 1000,
  'v2/templates': 1000,
  'v2/serverless/*/releases': 1000,
  'v2/serverless/*/builds': 100,
};

/**
 * Checks a list without `pagination`, as services before the autumn of 2026 send it. So many rows as a page has may be
 * the first page of more.
 */
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

/** Which rows have an id that came before. Adds the ids of the others. Rows without an id never count as repeated. */
function repeatedRows(rows: readonly Json[], ids: Set<string>): ReadonlySet<number> {
  const repeated = new Set<number>();
  for (const [at, row] of rows.entries()) {
    const id = stringAt(row, 'id');
    if (id === undefined) continue;
    if (ids.has(id)) repeated.add(at);
    ids.add(id);
  }
  return repeated;
}

const CODE = 'incomplete-list';
const PART = 'What was read is a part of the list: nothing is concluded from it. Try again later.';

const nameOf = (list: string): string => (list === '' ? 'the list' : `the list "${safeText(list)}"`);

/** The failure (7) of a list of which only a part could be read. */
export const incompleteList = (list: string, why: string): Failure =>
  new Failure({ code: CODE, exit: EXIT.unavailable, message: `${nameOf(list)} is incomplete: ${why}`, hint: PART });

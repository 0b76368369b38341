import type { Api, ApiAnswer, ApiRequest, ListRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure, isInterrupt } from '../../core/failure.ts';
import { itemsAt, type Json, type JsonObject, memberOf, objectOf, stringAt } from '../../core/json.ts';
import { berth, lines, sentence } from '../../core/message.ts';
import { safeText } from '../../core/safe-text.ts';
import type { Result, RowsSource, SourcedRows, View } from '../../output/view.ts';

export interface Page {
  readonly rows: readonly Json[];
  readonly source: RowsSource;
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
    const { value, text } = await readPage(api, request, number, cursor);
    const document = objectOf(value) ?? {};
    cursor = nextCursor(request, document, number);
    if (cursor !== undefined && cursors.has(cursor)) throw incompleteList(list, `page ${number} names a cursor again`);
    if (cursor !== undefined && number === MAX_PAGES) throw incompleteList(list, `it has more than ${MAX_PAGES} pages`);
    cursors.add(cursor);
    const hasMore = cursor !== undefined;
    const rows = itemsAt(document, list);
    // A list of one page is shown as the service sent it.
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

/** Adds the ids of the others. Rows without an id never count as repeated. */
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

const incompleteList = (list: string, why: string): Failure =>
  new Failure({ code: CODE, exit: EXIT.unavailable, message: `${nameOf(list)} is incomplete: ${why}`, hint: PART });

export interface WantedPage {
  readonly rows: readonly Json[];
  /** Undefined if some rows of the page are not wanted. */
  readonly source: RowsSource | undefined;
  readonly document: JsonObject;
  readonly hasMore: boolean;
  /** Wanted rows after the last page: `maybe` if pages were not read. */
  readonly beyond?: 'maybe' | 'some';
}

export async function* wantedPages(
  pages: AsyncIterable<Page>,
  isWanted: (row: Json) => boolean,
): AsyncGenerator<WantedPage> {
  for await (const { rows, source, ...page } of pages) {
    const wanted = rows.filter((row) => isWanted(row));
    yield { ...page, rows: wanted, source: wanted.length === rows.length ? source : undefined };
  }
}

/** Reads no page after them. */
export async function* firstRows(pages: AsyncIterable<WantedPage>, limit: number): AsyncGenerator<WantedPage> {
  let left = limit;
  for await (const page of pages) {
    left -= page.rows.length;
    if (left > 0) {
      yield page;
      continue;
    }
    const { rows, hasMore } = page;
    if (left < 0) yield { ...page, rows: rows.slice(0, left), source: undefined, hasMore: false, beyond: 'some' };
    else yield { ...page, hasMore: false, ...(hasMore ? { beyond: 'maybe' } : {}) };
    return;
  }
}

export interface OpenPages {
  readonly first: WantedPage;
  readonly pages: AsyncIterable<WantedPage>;
}

export async function openPages(pages: AsyncGenerator<WantedPage>): Promise<OpenPages> {
  const opened = await pages.next();
  const first = opened.done === true ? NO_PAGE : opened.value;
  return { first, pages: startingWith(first, pages) };
}

const NO_PAGE: WantedPage = { rows: [], source: undefined, document: {}, hasMore: false };

async function* startingWith(first: WantedPage, rest: AsyncIterable<WantedPage>): AsyncGenerator<WantedPage> {
  yield first;
  yield* rest;
}

export interface WholeList extends SourcedRows {
  readonly document: JsonObject;
  /** Rows beyond the limit: `maybe` if pages were not read. */
  readonly beyond?: WantedPage['beyond'];
}

/** With `limit` only its first rows. Fails as `followPages` does: an incomplete list gives no rows. */
export async function readList(api: Pick<Api, 'send'>, request: ListRequest, limit?: number): Promise<WholeList> {
  const pages = wantedPages(followPages(api, request), () => true);
  const read: WantedPage[] = [];
  for await (const page of limit === undefined ? pages : firstRows(pages, limit)) read.push(page);
  const sources = read.flatMap(({ source }) => source ?? []);
  const { document, beyond } = read.at(-1) ?? {};
  const values = read.flatMap(({ rows }) => rows);
  const isWhole = sources.length === read.length;
  return {
    values,
    // The text of a cut page has too many rows.
    sources: isWhole ? sources : [],
    document: isWhole && read.length === 1 ? (document ?? {}) : { ...document, [request.expects.list]: values },
    ...(beyond === undefined ? {} : { beyond }),
  };
}

/** A single page is shown as the service sent it. */
export const documentResult = (view: View, { document, sources }: WholeList) => {
  const [only, ...others] = sources;
  const source = only !== undefined && others.length === 0 ? { source: only.text } : {};
  return { kind: 'one', view, value: document, ...source } as const satisfies Result;
};

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

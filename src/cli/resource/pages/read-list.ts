import type { Api, ApiAnswer, ApiRequest, ListRequest } from '../../../core/api.ts';
import { memberOf, objectOf, type JsonObject } from '../../../core/json.ts';
import type { Result, SourcedRows, View } from '../../../output/view.ts';
import { followPages, incompleteList } from './follow-pages.ts';
import { firstRows, wantedPages, type WantedPage } from './wanted-pages.ts';

/** A list with the rows of all its pages. */
export interface WholeList extends SourcedRows {
  /** The last answer, with the rows of all pages. */
  readonly document: JsonObject;
  /** Rows that a limit left out: `maybe` where pages that were not read could have some. */
  readonly beyond?: WantedPage['beyond'];
}

/**
 * Reads all pages of a list; with `limit`, only its first rows. Fails as `followPages` does: a list that could not be read
 * whole gives no rows.
 */
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
    // The text of a page that is cut has too many rows.
    sources: isWhole ? sources : [],
    document: isWhole && read.length === 1 ? (document ?? {}) : { ...document, [request.expects.list]: values },
    ...(beyond === undefined ? {} : { beyond }),
  };
}

/** The result that shows the whole document of a list: of a single page as the service sent it. */
export const documentResult = (view: View, { document, sources }: WholeList) => {
  const [only, ...others] = sources;
  const source = only !== undefined && others.length === 0 ? { source: only.text } : {};
  return { kind: 'one', view, value: document, ...source } as const satisfies Result;
};

/**
 * Reads the pages of any list, whose rows are the only array of the first answer. An answer without `pagination` and
 * without such an array is returned as it is. Fails as `followPages` does, and where it is not clear what the rows are.
 */
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

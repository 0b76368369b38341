import type { Api, ApiAnswer, ApiRequest } from '../../../core/api.ts';
import { memberOf, objectOf, type JsonObject } from '../../../core/json.ts';
import type { Result, SourcedRows, View } from '../../../output/view.ts';
import { followPages, incompleteList, type ListRequest, type Page } from './follow-pages.ts';

/** A list with the rows of all its pages. */
export interface WholeList extends SourcedRows {
  /** The last answer, with the rows of all pages. */
  readonly document: JsonObject;
}

/** Reads all pages of a list. Fails as `followPages` does: a list that could not be read whole gives no rows. */
export const readList = async (api: Pick<Api, 'send'>, request: ListRequest): Promise<WholeList> =>
  await collectPages(followPages(api, request), request.expects.list);

/** The list that pages make. */
export async function collectPages(pages: AsyncIterable<Page>, member: string): Promise<WholeList> {
  const read: Page[] = [];
  for await (const page of pages) read.push(page);
  const sources = read.map(({ source }) => source);
  const [only, ...others] = read;
  if (only !== undefined && others.length === 0) return { values: only.rows, sources, document: only.document };
  const values = read.flatMap(({ rows }) => rows);
  return { values, sources, document: { ...read.at(-1)?.document, [member]: values } };
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

import type { Json, JsonObject } from '../../../core/json.ts';
import type { RowsSource } from '../../../output/view.ts';
import type { Page } from './follow-pages.ts';

/** The rows of a page that are wanted. */
export interface WantedPage {
  readonly rows: readonly Json[];
  /** The same rows as the service sent them; undefined where some rows of the page are not wanted. */
  readonly source: RowsSource | undefined;
  /** The whole answer. */
  readonly document: JsonObject;
  /** Whether another page follows, with wanted rows or without. */
  readonly hasMore: boolean;
  /** Wanted rows that are left out after the last page: `maybe` where pages that were not read could have some. */
  readonly beyond?: 'maybe' | 'some';
}

/** Leaves out the rows that are not wanted. */
export async function* wantedPages(
  pages: AsyncIterable<Page>,
  isWanted: (row: Json) => boolean,
): AsyncGenerator<WantedPage> {
  for await (const { rows, source, ...page } of pages) {
    const wanted = rows.filter((row) => isWanted(row));
    yield { ...page, rows: wanted, source: wanted.length === rows.length ? source : undefined };
  }
}

/** Ends after the first `limit` rows, and reads no page after them. */
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

/** The pages of a list whose first page is read. */
export interface OpenPages {
  readonly first: WantedPage;
  /** All pages, the first one too. */
  readonly pages: AsyncIterable<WantedPage>;
}

/** Reads the first page. Fails as the pages do. */
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

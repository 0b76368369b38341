import type { Json } from '../../../core/json.ts';
import type { RowsSource } from '../../../output/view.ts';
import type { Page } from './follow-pages.ts';

/** The rows of a page that are wanted. */
export interface WantedPage {
  readonly rows: readonly Json[];
  /** The same rows as the service sent them; undefined where some rows of the page are not wanted. */
  readonly source: RowsSource | undefined;
  readonly hasMore: boolean;
}

/** Leaves out the rows that are not wanted. */
export async function* wantedPages(
  pages: AsyncIterable<Page>,
  isWanted: (row: Json) => boolean,
): AsyncGenerator<WantedPage> {
  for await (const { rows, source, hasMore } of pages) {
    const wanted = rows.filter((row) => isWanted(row));
    yield { rows: wanted, source: wanted.length === rows.length ? source : undefined, hasMore };
  }
}

/** Whether there are rows beyond the first ones: `maybe` where pages that were not read could have some. */
export type Beyond = 'none' | 'maybe' | 'some';

/**
 * Ends after the first `limit` rows, and reads no page after them. Calls `onCut` where there are rows beyond them, or may
 * be.
 */
export async function* firstRows(
  pages: AsyncIterable<WantedPage>,
  limit: number,
  onCut: (beyond: Beyond) => void,
): AsyncGenerator<WantedPage> {
  let left = limit;
  for await (const page of pages) {
    if (page.rows.length < left) {
      yield page;
      left -= page.rows.length;
      continue;
    }
    const isCut = page.rows.length > left;
    if (isCut || page.hasMore) onCut(isCut ? 'some' : 'maybe');
    yield isCut ? { rows: page.rows.slice(0, left), source: undefined, hasMore: false } : { ...page, hasMore: false };
    return;
  }
}

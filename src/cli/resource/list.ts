import type { Json } from '../../core/json.ts';
import type { Result } from '../../output/view.ts';
import { defineCommand, type Command, type CommandWords, type WatchSpec } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { isForPerson } from '../for-person.ts';
import { option, type Params, type ValuesOf } from '../parse/params.ts';
import { manyOf } from '../schema/output-schema.ts';
import { countOf } from '../words.ts';
import type { ResourceTable } from './fields.ts';
import type { Query } from './identity/collection.ts';
import { listRequest, rememberNames } from './identity/requests.ts';
import { followPages, type Page } from './pages/follow-pages.ts';
import { mayPrintPages, printPages } from './pages/print-pages.ts';
import { firstRows, openPages, wantedPages, type OpenPages, type WantedPage } from './pages/wanted-pages.ts';
import { rowSchema, type Resource } from './read.ts';
import { compileFilter, filterOptions, type Filter } from './select/selectors.ts';
import { sortOption, sortRows, type SortKey } from './select/sort.ts';

interface ListSpec<O extends Params> extends CommandWords {
  /** Flags beside those that every list has. */
  readonly options?: O;
  readonly watch?: true | WatchSpec;
  readonly query?: (values: ValuesOf<O>) => Query;
  /** Filters rows by the flags of this list, for filters that the service does not have. */
  readonly keep?: (row: Json, values: ValuesOf<O>) => boolean;
  /**
   * A sentence about all rows, printed after the table on a terminal: `8 pods, $7.47 an hour`. `ctx` is for what else it
   * has to read; absent in a watch, which asks for its rows alone.
   */
  readonly total?: (rows: readonly Json[], ctx: CommandContext | undefined) => string | Promise<string>;
}

/**
 * `berth NOUN list`: all rows, in the order of the service unless `--sort` is given. Rows are printed page by page where
 * nothing in the output depends on the last one.
 */
export function listCommand<const O extends Params>(resource: Resource, spec: ListSpec<O>): Command {
  const { query, keep, total, options, ...words } = spec;
  return defineCommand({
    ...words,
    fields: resource.view.paths,
    output: manyOf(rowSchema(resource)),
    options: { ...options, ...listOptions(resource.table) },
    run: async (ctx, values) => {
      const given = values as unknown as ValuesOf<O>;
      const filter = values as unknown as ListFilter;
      const keepRow = (row: Json): boolean => keep?.(row, given) ?? true;
      const opened = await openList(ctx, resource, filter, query?.(given), keepRow);
      if (!isWatched(values) && !isSorted(filter) && mayPrintPages(ctx, resource.view, opened.first)) {
        const { last, result } = await printPages(ctx, resource.view, opened.pages);
        return { ...result, notes: beyondNotes(resource, filter, last?.beyond) };
      }
      const result = await collect(resource, opened, filter);
      const rows = result.values;
      // A total is of all rows.
      if (total === undefined || rows.length === 0 || result.notes.length > 0 || !isForPerson(ctx)) return result;
      return { ...result, notes: [await total(rows, isWatched(values) ? undefined : ctx)] };
    },
  });
}

/** The flags that every list has. */
export const listOptions = (table: ResourceTable | undefined): Params => ({
  ...filterOptions(table),
  ...sortOption(table),
  limit: option.count('show only the first N rows', 1),
});

/** The values of the flags that every list has. */
export type ListFilter = Filter & {
  readonly sort?: readonly SortKey[] | undefined;
  readonly limit?: number | undefined;
};

const isSorted = ({ sort = [] }: ListFilter): boolean => sort.length > 0;

/** The rows of a list that its filters keep, sorted. With the text of the service where that has the same rows. */
export const filteredRows = async (
  ctx: CommandContext,
  resource: Resource,
  filter: ListFilter,
  query: Query | undefined,
  keep: (row: Json) => boolean,
) => await collect(resource, await openList(ctx, resource, filter, query, keep), filter);

/** Reads the first page. Without an order of its own, the list ends at its limit. */
function openList(
  ctx: CommandContext,
  resource: Resource,
  filter: ListFilter,
  query: Query | undefined,
  keep: (row: Json) => boolean,
): Promise<OpenPages> {
  const isWanted = compileFilter(resource.table, filter);
  const pages = wantedPages(
    remembered(ctx, resource, followPages(ctx.api, listRequest(resource, query))),
    // The date of an answer sets the service's time.
    (row) => isWanted(row, ctx.serviceNow()) && keep(row),
  );
  return openPages(filter.limit === undefined || isSorted(filter) ? pages : firstRows(pages, filter.limit));
}

/** Remembers the names in each page. */
async function* remembered(ctx: CommandContext, resource: Resource, pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  for await (const page of pages) {
    await rememberNames(ctx, resource, page.rows);
    yield page;
  }
}

async function collect(resource: Resource, { pages }: OpenPages, filter: ListFilter) {
  const { sort = [], limit } = filter;
  const read: WantedPage[] = [];
  for await (const page of pages) read.push(page);
  const rows = sortRows(
    read.flatMap((page) => page.rows),
    sort,
  );
  const isCut = limit !== undefined && rows.length > limit;
  const sources = isSorted(filter) ? [] : read.flatMap(({ source }) => source ?? []);
  return {
    kind: 'many',
    view: resource.view,
    values: isCut ? rows.slice(0, limit) : rows,
    ...(sources.length === read.length ? { sources } : {}),
    notes: beyondNotes(resource, filter, isCut ? 'some' : read.at(-1)?.beyond),
  } as const satisfies Result;
}

/** Says that `--limit` left rows out. */
const beyondNotes = ({ noun }: Resource, { limit = 0 }: ListFilter, beyond: WantedPage['beyond']): readonly string[] =>
  beyond === undefined
    ? []
    : [`Shown: ${countOf(limit, noun)}, because of --limit. There ${beyond === 'some' ? 'are' : 'may be'} more.`];

const isWatched = (values: Readonly<Record<string, unknown>>): boolean => values['watch'] === true;

import type { ListRequest } from '../../core/api.ts';
import { encodeJson, type Json, type JsonObject } from '../../core/json.ts';
import { isPrintedFromText } from '../../output/formats/format-table.ts';
import type { Result } from '../../output/view.ts';
import { defineCommand, type Command, type CommandWords, type WatchSpec } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { isForPerson } from '../run/for-person.ts';
import { option, type Params, type ValuesOf } from '../model/params.ts';
import { manyOf } from '../model/output-schema.ts';
import { countOf } from '../words/words.ts';
import type { ResourceTable } from './fields/fields.ts';
import type { Collection, Query } from '../model/collection.ts';
import { identify } from './identity/identify.ts';
import { listRequest, rememberNames } from './identity/requests.ts';
import { followPages, type Page } from './pages/follow-pages.ts';
import { mayPrintPages, printPages } from './pages/print-pages.ts';
import { firstRows, openPages, wantedPages, type OpenPages, type WantedPage } from './pages/wanted-pages.ts';
import { completeRows, idArgument, rowSchema, type CompleteRows, type Resource } from './read.ts';
import type { RowFilter } from '../../core/text/patterns/row-filter.ts';
import { compileFilter, filterOptions } from './select/selectors.ts';
import { sortOption, sortRows, type SortKey } from './select/sort.ts';

interface ListSpec<O extends Params> extends CommandWords {
  /** Flags beside those that every list has. */
  readonly options?: O;
  readonly watch?: true | WatchSpec;
  /**
   * What the rows belong to, such as the endpoint of workers: the argument of the command names it, and the path of the
   * rows begins below it.
   */
  readonly of?: Collection;
  readonly query?: (values: ValuesOf<O>) => Query;
  /** Filters rows by the flags of this list, for filters that the service does not have. */
  readonly keep?: (row: Json, values: ValuesOf<O>) => boolean;
  /**
   * A sentence about all rows, printed after the table on a terminal: `8 pods, $7.47 an hour`. `ctx` is for what else it
   * has to read; absent in a watch, which asks for its rows alone.
   */
  readonly total?: (rows: readonly Json[], ctx: CommandContext | undefined) => string | Promise<string>;
  /** Completes rows with what their table shows and the service does not send. Not called for JSON. */
  readonly complete?: CompleteRows;
  /** What the last answer says beside its rows, printed after the output. */
  readonly summaryOf?: (document: JsonObject) => readonly string[];
}

/**
 * `berth NOUN list`: all rows, in the order of the service unless `--sort` is given. Rows are printed page by page where
 * nothing in the output depends on the last one.
 */
export function listCommand<const O extends Params>(resource: Resource, spec: ListSpec<O>): Command {
  const { of, query, keep, total, complete, summaryOf, options, ...words } = spec;
  return defineCommand({
    ...words,
    fields: resource.view.paths,
    output: manyOf(rowSchema(resource)),
    args: of === undefined ? {} : { id: idArgument(of) },
    options: { ...options, ...listOptions(resource.table) },
    run: async (ctx, values) => {
      const given = values as unknown as ValuesOf<O>;
      const filter = values as unknown as ListFilter & { readonly id: string };
      const opened = await openList(ctx, resource, filter, {
        query: query?.(given),
        keep: (row) => keep?.(row, given) ?? true,
        ...(of === undefined ? {} : { of: { collection: of, word: filter.id } }),
      });
      const summary = (page: WantedPage | undefined) => summaryOf?.(page?.document ?? {}) ?? [];
      if (
        complete === undefined &&
        !isWatched(values) &&
        !isSorted(filter) &&
        mayPrintPages(ctx, resource.view, opened.first)
      ) {
        const { last, result } = await printPages(ctx, resource.view, opened.pages);
        return { ...result, notes: [...summary(last), ...beyondNotes(resource.noun, filter, last?.beyond)] };
      }
      const isPrintedAsText = !isWatched(values) && isPrintedFromText(ctx.output);
      const { last, ...read } = await collect(resource, opened, filter, isPrintedAsText);
      const result = { ...read, values: await completeRows(ctx, complete, read.values) };
      const rows = result.values;
      // A total is of all rows.
      if (total === undefined || rows.length === 0 || result.notes.length > 0 || !isForPerson(ctx))
        return { ...result, notes: [...summary(last), ...result.notes] };
      return { ...result, notes: [await total(rows, isWatched(values) ? undefined : ctx)] };
    },
  });
}

/** The flags that every list has. */
export const listOptions = (table: ResourceTable | undefined): Params => ({
  ...filterOptions(table),
  ...sortOption(table),
  limit: limitOption,
});

/** `--limit` of a list. */
export const limitOption = option.count('show only the first N rows', 1);

/** The values of the flags that every list has. */
export type ListFilter = RowFilter & {
  readonly sort?: readonly SortKey[] | undefined;
  readonly limit?: number | undefined;
};

const isSorted = ({ sort = [] }: ListFilter): boolean => sort.length > 0;

/** Which rows are read. */
interface ListSource {
  readonly query: Query | undefined;
  readonly keep: (row: Json) => boolean;
  /** What the rows belong to, by its id or name. */
  readonly of?: { readonly collection: Collection; readonly word: string };
}

/** The rows of a list that its filters keep, sorted. With the text of the service where that has the same rows. */
export async function filteredRows(ctx: CommandContext, resource: Resource, filter: ListFilter, source: ListSource) {
  const { last: _, ...result } = await collect(resource, await openList(ctx, resource, filter, source), filter);
  return result;
}

/** Reads the first page. Without an order of its own, the list ends at its limit. */
async function openList(
  ctx: CommandContext,
  resource: Resource,
  filter: ListFilter,
  { query, keep, of }: ListSource,
): Promise<OpenPages> {
  const isWanted = compileFilter(resource.table, filter);
  const open = (request: ListRequest): Promise<OpenPages> => {
    const pages = wantedPages(
      remembered(ctx, resource, followPages(ctx.api, request)),
      // The date of an answer sets the service's time.
      (row) => isWanted(row, ctx.serviceNow()) && keep(row),
    );
    return openPages(filter.limit === undefined || isSorted(filter) ? pages : firstRows(pages, filter.limit));
  };
  const request = listRequest(resource, query);
  if (of === undefined) return await open(request);
  const { collection, word } = of;
  return (
    await identify(ctx, collection, word, (id) =>
      open({ ...request, path: [...collection.path, id, ...resource.path], id }),
    )
  ).result;
}

/** Remembers the names in each page. */
async function* remembered(ctx: CommandContext, resource: Resource, pages: AsyncIterable<Page>): AsyncGenerator<Page> {
  for await (const page of pages) {
    await rememberNames(ctx, resource, page.rows);
    yield page;
  }
}

/**
 * Reads all pages. With `asText` the rows are kept as text alone, unless they are sorted: decoded, those of a long list need
 * several times as much memory.
 */
async function collect(resource: Resource, { pages }: OpenPages, filter: ListFilter, asText = false) {
  const { sort = [], limit } = filter;
  const read: WantedPage[] = [];
  let last: WantedPage | undefined;
  for await (const page of pages) {
    read.push(asText && !isSorted(filter) ? textOf(page) : page);
    last = page;
  }
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
    notes: beyondNotes(resource.noun, filter, isCut ? 'some' : last?.beyond),
    last,
  } as const satisfies Result & { readonly last: WantedPage | undefined };
}

/** A page without its decoded rows. */
const textOf = ({ rows, source, ...page }: WantedPage): WantedPage => ({
  ...page,
  rows: [],
  source: source ?? { text: encodeJson(rows) },
  document: {},
});

/** Says that `--limit` left rows out. */
export const beyondNotes = (
  noun: string,
  { limit = 0 }: Pick<ListFilter, 'limit'>,
  beyond: WantedPage['beyond'],
): readonly string[] =>
  beyond === undefined
    ? []
    : [`Shown: ${countOf(limit, noun)}, because of --limit. There ${beyond === 'some' ? 'are' : 'may be'} more.`];

const isWatched = (values: Readonly<Record<string, unknown>>): boolean => values['watch'] === true;

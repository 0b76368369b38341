import type { Collection, Query } from '../model/collection.ts';
import { type Command, type CommandWords, defineCommand, type WatchSpec } from '../model/command.ts';
import { type CommandContext, isForPerson } from '../model/context.ts';
import { manyOf } from '../model/output-schema.ts';
import { option, type Param, type Params, type ValuesOf } from '../model/params.ts';
import type { FieldType, ResourceTable } from './fields.ts';
import { type Resource, withId } from './targets.ts';
import { firstRows, followPages, openPages, type OpenPages, type WantedPage, wantedPages } from './pages.ts';
import { idArgument, rowSchema } from './read.ts';
import { listRequest } from './requests.ts';
import { compileFilter, filterOptions } from './selectors.ts';
import { countOf } from '../words.ts';
import type { ListRequest } from '../../core/api.ts';
import { usage } from '../../core/failure.ts';
import { encodeJson, type Json, memberAt, numberOf, stringOf } from '../../core/json.ts';
import type { RowFilter } from '../../core/patterns.ts';
import { nearestOf, suggestionOf } from '../../core/text.ts';
import { areKnownFields } from '../../output/fields.ts';
import { isPrintedByPage, isPrintedFromText } from '../../output/formats/format-table.ts';
import type { Result, View } from '../../output/view.ts';

/** Only for several pages. Waits while unsure of `--fields` names: a wrong one fails before any output. */
const mayPrintPages = (ctx: CommandContext, view: View, { rows, hasMore }: WantedPage): boolean =>
  hasMore &&
  isPrintedByPage(ctx.output, ctx.terminal.output) &&
  // A table of one column has a header only once all rows are known.
  ctx.output.fields?.length !== 1 &&
  areKnownFields(view, rows, ctx.output.fields);

/** Returns what is left to print. If a page fails, what was printed is only a part of the list. */
async function printPages(
  ctx: CommandContext,
  view: View,
  pages: AsyncIterable<WantedPage>,
): Promise<{ readonly last: WantedPage | undefined; readonly result: Result }> {
  const writer = ctx.rows(view);
  let last: WantedPage | undefined;
  let isEmpty = true;
  for await (const page of pages) {
    await writer.rows(page.rows);
    isEmpty &&= page.rows.length === 0;
    last = page;
  }
  if (isEmpty) return { last, result: { kind: 'many', view, values: [] } };
  await writer.close();
  return { last, result: { kind: 'nothing' } };
}

interface SortKey {
  readonly path: string;
  readonly type: FieldType;
  readonly descending: boolean;
}

const ORDERED: readonly FieldType[] = [
  ...(['text', 'status', 'time', 'flag', 'count', 'dollars', 'gigabytes'] as const),
  ...(['seconds', 'milliseconds', 'percent'] as const),
];

function sortOption(table: ResourceTable | undefined): Params {
  if (table === undefined) return {};
  const keys = sortKeys(table);
  const names = Object.keys(keys);
  const { type: _, ...list } = option.list('sort by these members; a - before one turns the order around', {
    metavar: '[-]MEMBER',
  });
  const sort: Param<readonly SortKey[]> = {
    ...list,
    choices: names,
    initial: [],
    parse: (text, label) =>
      text
        .split(',')
        .filter((part) => part !== '')
        .map((part) => parseKey(part, keys, names, label)),
  };
  return { sort };
}

function parseKey(part: string, keys: Readonly<Record<string, SortKey>>, names: readonly string[], label: string) {
  const isTurned = part.startsWith('-');
  const word = isTurned ? part.slice(1) : part;
  const found = names.find((name) => name.toLowerCase() === word.toLowerCase());
  const key = found === undefined ? undefined : keys[found];
  if (key === undefined)
    throw usage(
      `${label} takes one of ${names.join(', ')}; ${JSON.stringify(word)} is none of them`,
      suggestionOf(nearestOf(word, names)),
    );
  return { ...key, descending: key.descending !== isTurned };
}

/** `age` is the creation time in reverse order. */
function sortKeys(table: ResourceTable): Readonly<Record<string, SortKey>> {
  const entries = [...table.table, ...(table.wide ?? [])].flatMap((key): [string, SortKey][] => {
    const { path, type = 'text' } = table.fields[key] ?? {};
    if (path === undefined || !ORDERED.includes(type)) return [];
    const own: [string, SortKey] = [key, { path, type, descending: false }];
    return key === 'createdAt' ? [own, ['age', { ...own[1], descending: true }]] : [own];
  });
  return Object.fromEntries(entries);
}

/** Rows without a value come last in both directions. */
function sortRows(rows: readonly Json[], keys: readonly SortKey[]): readonly Json[] {
  if (keys.length === 0) return rows;
  const collator = new Intl.Collator('en', { numeric: true });
  return rows.toSorted((one, other) => {
    for (const { path, type, descending } of keys) {
      const [left, right] = [valueOf(memberAt(one, path), type), valueOf(memberAt(other, path), type)];
      if (left === undefined || right === undefined) {
        if (left !== right) return left === undefined ? 1 : -1;
        continue;
      }
      const order =
        typeof left === 'number' && typeof right === 'number'
          ? left - right
          : collator.compare(String(left), String(right));
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  });
}

/** Undefined if it has another type than its field. */
function valueOf(value: Json | undefined, type: FieldType): string | number | undefined {
  switch (type) {
    case 'text':
    case 'status':
      return stringOf(value);
    case 'flag':
      return typeof value === 'boolean' ? Number(value) : undefined;
    case 'time': {
      const time = Date.parse(stringOf(value) ?? '');
      return Number.isNaN(time) ? undefined : time;
    }
    default:
      return numberOf(value);
  }
}

export interface ListSpec<O extends Params> extends CommandWords {
  readonly options?: O;
  readonly watch?: true | WatchSpec;
  /** The parent, such as the endpoint of workers: the command's argument and the start of the path. */
  readonly of?: Collection;
  readonly query?: (values: ValuesOf<O>) => Query;
  /** For filters that the service does not have. */
  readonly keep?: (row: Json, values: ValuesOf<O>) => boolean;
  /** After the table on a terminal: `8 pods, $7.47/h`. */
  readonly total?: (rows: readonly Json[]) => string;
}

/** In the order of the service unless `--sort`. Printed page by page if nothing depends on the last row. */
export function listCommand<const O extends Params>(resource: Resource, spec: ListSpec<O>): Command {
  const { of, query, keep, total, options, ...words } = spec;
  return defineCommand({
    ...words,
    fields: resource.view.paths,
    output: manyOf(rowSchema(resource)),
    args: of === undefined ? {} : { id: idArgument(of) },
    options: { ...options, ...listOptions(resource.table) },
    run: async (ctx, values) => {
      const given = values as unknown as ValuesOf<O> & { readonly watch?: boolean };
      const filter = values as unknown as ListFilter & { readonly id: string };
      const opened = await openList(ctx, resource, filter, {
        query: query?.(given),
        keep: (row) => keep?.(row, given) ?? true,
        ...(of === undefined ? {} : { of: { collection: of, word: filter.id } }),
      });
      const isWatched = given.watch === true;
      if (!isWatched && !isSorted(filter) && mayPrintPages(ctx, resource.view, opened.first)) {
        const { last, result } = await printPages(ctx, resource.view, opened.pages);
        return { ...result, notes: beyondNotes(resource.noun, filter, last?.beyond) };
      }
      const result = await collect(resource, opened, filter, !isWatched && isPrintedFromText(ctx.output));
      const { values: rows, notes } = result;
      return total === undefined || rows.length === 0 || notes.length > 0 || !isForPerson(ctx)
        ? result
        : { ...result, notes: [total(rows)] };
    },
  });
}

export const listOptions = (table: ResourceTable | undefined): Params => ({
  ...filterOptions(table),
  ...sortOption(table),
  limit: limitOption,
});

export const limitOption = option.count('show only the first N rows', 1);

export type ListFilter = RowFilter & {
  readonly sort?: readonly SortKey[] | undefined;
  readonly limit?: number | undefined;
};

const isSorted = ({ sort = [] }: ListFilter): boolean => sort.length > 0;

interface ListSource {
  readonly query: Query | undefined;
  readonly keep: (row: Json) => boolean;
  readonly of?: { readonly collection: Collection; readonly word: string };
}

/** Sorted. With the service's text if that has the same rows. */
export async function filteredRows(ctx: CommandContext, resource: Resource, filter: ListFilter, source: ListSource) {
  return await collect(resource, await openList(ctx, resource, filter, source), filter);
}

/** If unsorted, the list ends at its limit. */
async function openList(
  ctx: CommandContext,
  resource: Resource,
  filter: ListFilter,
  { query, keep, of }: ListSource,
): Promise<OpenPages> {
  const isWanted = compileFilter(resource.table, filter);
  const open = (request: ListRequest): Promise<OpenPages> => {
    const pages = wantedPages(
      followPages(ctx.api, request),
      // The date of an answer sets the service's time.
      (row) => isWanted(row, ctx.serviceNow()) && keep(row),
    );
    return openPages(filter.limit === undefined || isSorted(filter) ? pages : firstRows(pages, filter.limit));
  };
  const request = listRequest(resource, query);
  if (of === undefined) return await open(request);
  const { collection, word } = of;
  return await withId(ctx, collection, word, (id) =>
    open({ ...request, path: [...collection.path, id, ...resource.path], id }),
  );
}

/** `asText` keeps only text unless sorted: decoded rows of a long list need several times the memory. */
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
  } as const satisfies Result;
}

const textOf = ({ rows, source, ...page }: WantedPage): WantedPage => ({
  ...page,
  rows: [],
  source: source ?? { text: encodeJson(rows) },
  document: {},
});

export const beyondNotes = (
  noun: string,
  { limit = 0 }: Pick<ListFilter, 'limit'>,
  beyond: WantedPage['beyond'],
): readonly string[] =>
  beyond === undefined
    ? []
    : [`Shown: ${countOf(limit, noun)}, because of --limit. There ${beyond === 'some' ? 'are' : 'may be'} more.`];

import type { Collection, Query } from '../model/collection.ts';
import { type Command, type CommandWords, defineCommand, type WatchSpec } from '../model/command.ts';
import { type CommandContext, isForPerson } from '../model/context.ts';
import { manyOf } from '../model/output-schema.ts';
import { option, type Param, type Params, type ValuesOf } from '../model/params.ts';
import type { FieldType, ResourceTable } from './fields.ts';
import { type Resource, withId } from './targets.ts';
import { readList, type WholeList } from './pages.ts';
import { idArgument, rowSchema } from './read.ts';
import { listRequest } from './requests.ts';
import { compileFilter, filterOptions, type RowFilter } from './selectors.ts';
import { countOf } from '../words.ts';
import { type Json, memberAt, numberOf, stringOf } from '../../core/json.ts';
import type { Result } from '../../output/view.ts';

interface SortKey {
  readonly path: string;
  readonly descending: boolean;
}

const ORDERED: readonly FieldType[] = [
  ...(['text', 'status', 'time', 'flag', 'count', 'dollars', 'gigabytes'] as const),
  ...(['seconds', 'milliseconds', 'percent'] as const),
];

function sortOption(table: ResourceTable): Param<readonly string[]> {
  const names = option.list('sort by these members; a - before one turns the order around', {
    metavar: '[-]MEMBER',
    choices: Object.keys(sortKeys(table)),
  });
  const parseKey = (part: string, label: string): readonly string[] => {
    const turned = part.startsWith('-') ? '-' : '';
    return (names.parse(part.slice(turned.length), label) as readonly string[]).map((name) => turned + name);
  };
  return { ...names, parse: (text, label) => text.split(',').flatMap((part) => parseKey(part, label)) };
}

/** `age` is the creation time in reverse order. */
function sortKeys(table: ResourceTable): Readonly<Record<string, SortKey>> {
  const entries = [...table.table, ...(table.wide ?? [])].flatMap((key): [string, SortKey][] => {
    const { path, type = 'text' } = table.fields[key] ?? {};
    if (path === undefined || !ORDERED.includes(type)) return [];
    const own: [string, SortKey] = [key, { path, descending: false }];
    return key === 'createdAt' ? [own, ['age', { path, descending: true }]] : [own];
  });
  return Object.fromEntries(entries);
}

/** Rows without a value come last in both directions. */
function sortRows(rows: readonly Json[], table: ResourceTable, words: readonly string[]): readonly Json[] {
  const known = sortKeys(table);
  const keys = words.flatMap((word) => {
    const key = known[word.replace(/^-/, '')];
    return key === undefined ? [] : [{ ...key, descending: key.descending !== word.startsWith('-') }];
  });
  const collator = new Intl.Collator('en', { numeric: true });
  return rows.toSorted((one, other) => {
    for (const { path, descending } of keys) {
      const [left, right] = [valueOf(memberAt(one, path)), valueOf(memberAt(other, path))];
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

const valueOf = (value: Json | undefined): string | number | undefined =>
  typeof value === 'boolean' ? Number(value) : (numberOf(value) ?? stringOf(value));

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

/** In the order of the service unless `--sort`. */
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
      const result = await filteredRows(ctx, resource, filter, {
        query: query?.(given),
        keep: (row) => keep?.(row, given) ?? true,
        ...(of === undefined ? {} : { of: { collection: of, word: filter.id } }),
      });
      const { values: rows, notes } = result;
      return total === undefined || rows.length === 0 || notes.length > 0 || !isForPerson(ctx)
        ? result
        : { ...result, notes: [total(rows)] };
    },
  });
}

export const listOptions = (table: ResourceTable) => ({
  ...filterOptions(table),
  sort: sortOption(table),
  limit: limitOption,
});

export const limitOption = option.count('show only the first N rows', 1);

export type ListFilter = RowFilter & {
  readonly sort?: readonly string[] | undefined;
  readonly limit?: number | undefined;
};

interface ListSource {
  readonly query: Query | undefined;
  readonly keep: (row: Json) => boolean;
  readonly of?: { readonly collection: Collection; readonly word: string };
}

/** Sorted. Unsorted, no page is read after the limit. */
export async function filteredRows(
  ctx: CommandContext,
  resource: Resource,
  filter: ListFilter,
  { query, keep, of }: ListSource,
) {
  const { sort = [], limit } = filter;
  const isSorted = sort.length > 0;
  const isWanted = compileFilter(resource.table, filter);
  const wanted = {
    // The date of an answer sets the service's time.
    keep: (row: Json) => isWanted(row, ctx.serviceNow()) && keep(row),
    ...(isSorted ? {} : { limit }),
  };
  const request = listRequest(resource, query);
  const { values, beyond } =
    of === undefined
      ? await readList(ctx.api, request, wanted)
      : await withId(ctx, of.collection, of.word, (id) =>
          readList(ctx.api, { ...request, path: [...of.collection.path, id, ...resource.path], id }, wanted),
        );
  const rows = isSorted ? sortRows(values, resource.table, sort) : values;
  const isCut = limit !== undefined && rows.length > limit;
  return {
    kind: 'many',
    view: resource.view,
    values: isCut ? rows.slice(0, limit) : rows,
    notes: beyondNotes(resource.noun, filter, isCut ? 'some' : beyond),
  } as const satisfies Result;
}

export const beyondNotes = (
  noun: string,
  { limit = 0 }: Pick<ListFilter, 'limit'>,
  beyond: WholeList['beyond'],
): readonly string[] =>
  beyond === undefined
    ? []
    : [`Shown: ${countOf(limit, noun)}, because of --limit. There ${beyond === 'some' ? 'are' : 'may be'} more.`];

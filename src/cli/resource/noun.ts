import type { Collection, Query } from '../model/collection.ts';
import { type Command, type CommandWords, defineCommand, type Values, type WatchSpec } from '../model/command.ts';
import { type CommandContext, isForPerson } from '../model/context.ts';
import { manyOf } from '../model/output-schema.ts';
import { option, type Param, type Params, parseValue, type ValuesOf } from '../model/params.ts';
import { compileFilter, filterOptions, idArgument, idsOnlyArgument, type RowFilter, rowSchema } from './arguments.ts';
import { type FieldType, readPaths, type ResourceTable } from './fields.ts';
import { listRequest, readList } from './pages.ts';
import { eachSchema, readEach, READS_SEVERAL } from './several.ts';
import { readRow, type Resource, withId } from './targets.ts';
import { countOf, pluralOf, withArticle } from '../words.ts';
import { type Json, memberAt, numberOf, stringOf } from '../../core/json.ts';
import type { Result } from '../../output/view.ts';

export { noun } from '../model/command.ts';

export type NounWords = Partial<CommandWords & Pick<Command, 'costs' | 'exits'>>;

/** Types of fields that have no order. */
const UNORDERED: readonly (FieldType | undefined)[] = ['list', 'pairs', 'object', 'objects'];

/** The paths of the columns, by key; `age` is the creation time, in reverse order. */
function sortPaths({ table, wide = [], fields }: ResourceTable): Readonly<Record<string, string>> {
  const paths = [...table, ...wide].flatMap((key): readonly (readonly [string, string])[] => {
    const { path, type } = fields[key] ?? {};
    if (path === undefined || UNORDERED.includes(type)) return [];
    return key === 'createdAt'
      ? [
          [key, path],
          ['age', path],
        ]
      : [[key, path]];
  });
  return Object.fromEntries(paths);
}

function sortOption(table: ResourceTable): Param<readonly string[]> {
  const names = option.list('sort by these members; a - before one turns the order around', {
    metavar: '[-]MEMBER',
    choices: Object.keys(sortPaths(table)),
  });
  const parse = (text: string, label: string): readonly string[] =>
    text.split(',').flatMap((part) => {
      const sign = part.startsWith('-') ? '-' : '';
      return (parseValue(names, part.slice(sign.length), label) as readonly string[]).map((name) => sign + name);
    });
  return { ...names, parse };
}

/** Rows without a value come last in both directions. */
function sortRows(rows: readonly Json[], table: ResourceTable, words: readonly string[]): readonly Json[] {
  const paths = sortPaths(table);
  const collator = new Intl.Collator('en', { numeric: true });
  const orderBy = (word: string, one: Json, other: Json): number => {
    const name = word.replace(/^-/, '');
    const [left, right] = [one, other].map((row) => valueOf(memberAt(row, paths[name] ?? name)));
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    const areNumbers = typeof left === 'number' && typeof right === 'number';
    const order = areNumbers ? left - right : collator.compare(String(left), String(right));
    return word.startsWith('-') === (name === 'age') ? order : -order;
  };
  return rows.toSorted((one, other) => {
    for (const word of words) {
      const order = orderBy(word, one, other);
      if (order !== 0) return order;
    }
    return 0;
  });
}

const valueOf = (value: Json | undefined): string | number | undefined =>
  typeof value === 'boolean' ? Number(value) : (numberOf(value) ?? stringOf(value));

export const limitOption = () => option.count('show only the first N rows', 1);

export const listOptions = (table: ResourceTable) => ({
  ...filterOptions(table),
  sort: sortOption(table),
  limit: limitOption(),
});

export type ListFilter = RowFilter & {
  readonly sort?: readonly string[] | undefined;
  readonly limit?: number | undefined;
};

/** `berth NOUN list`: every page, or an error. In the order of the service unless `--sort`. */
export function list<const O extends Params>(
  resource: Resource,
  spec: NounWords & {
    readonly options?: O;
    readonly watch?: true | WatchSpec;
    /** The parent, such as the endpoint of workers: the command's argument and the start of the path. */
    readonly of?: Collection;
    readonly query?: (values: ValuesOf<O>) => Query;
    /** For filters that the service does not have. */
    readonly keep?: (row: Json, values: ValuesOf<O>) => boolean;
    /** After the table on a terminal: `8 pods, $7.47/h`. */
    readonly total?: (rows: readonly Json[]) => string;
  } = {},
): () => Command {
  const { of, query, keep, total, options, ...words } = spec;
  return () =>
    defineCommand({
      summary: `list ${pluralOf(resource.noun)}`,
      ...words,
      fields: readPaths(resource.table),
      output: () => manyOf(rowSchema(resource)),
      args: of === undefined ? {} : { id: idArgument(of) },
      options: { ...options, ...listOptions(resource.table) },
      run: async (ctx, values) => {
        const given = values as unknown as ValuesOf<O>;
        const filter = values as unknown as ListFilter & { readonly id: string };
        const rowsAt = (path: readonly string[]) =>
          filteredRows(ctx, { ...resource, path }, filter, query?.(given), (row) => keep?.(row, given) ?? true);
        const result =
          of === undefined
            ? await rowsAt(resource.path)
            : await withId(ctx, of, filter.id, (id) => rowsAt([...of.path, id, ...resource.path]));
        const isPlain = total === undefined || result.values.length === 0 || result.notes.length > 0;
        return isPlain || !isForPerson(ctx) ? result : { ...result, notes: [total(result.values)] };
      },
    });
}

/** Sorted. Unsorted, no page is read after the limit. */
export async function filteredRows(
  ctx: CommandContext,
  resource: Resource,
  filter: ListFilter,
  query: Query | undefined,
  keep: (row: Json) => boolean,
) {
  const { sort = [], limit } = filter;
  const isWanted = compileFilter(resource.table, filter);
  const { values, isCut } = await readList(ctx.api, listRequest(resource, query), {
    // The date of an answer sets the service's time.
    keep: (row) => isWanted(row, ctx.serviceNow()) && keep(row),
    limit: sort.length > 0 ? undefined : limit,
  });
  const rows = sort.length > 0 ? sortRows(values, resource.table, sort) : values;
  return {
    kind: 'many',
    view: resource.view,
    values: rows.slice(0, limit),
    notes: cutNotes(resource.noun, limit, isCut || rows.length > (limit ?? Infinity)),
  } as const satisfies Result;
}

export const cutNotes = (noun: string, limit: number | undefined, isCut: boolean): readonly string[] =>
  isCut ? [`Shown: ${countOf(limit ?? 0, noun)}, because of --limit. There may be more.`] : [];

/** `berth NOUN get ID...`: one row in detail, or several as a list. */
export function get<const O extends Params>(
  of: Resource,
  spec: NounWords & {
    readonly options?: O;
    readonly watch?: true | WatchSpec;
    readonly query?: (values: ValuesOf<O>) => Query;
    /** An exit code or a note by what the row says. */
    readonly outcome?: (row: Json, values: ValuesOf<O>) => Pick<Result, 'exit' | 'notes'>;
  } = {},
): () => Command {
  const { outcome, query, ...words } = spec;
  return () =>
    defineCommand({
      ...words,
      summary: words.summary ?? `show ${withArticle(of.noun)}`,
      details: [words.details, READS_SEVERAL].filter(Boolean).join(' '),
      fields: readPaths(of.table),
      output: () => eachSchema(rowSchema(of)),
      args: { id: idsOnlyArgument(of) },
      run: async (ctx, values) => {
        const given = values as unknown as ValuesOf<O>;
        return await readEach(ctx, values.id, {
          view: of.view,
          read: (word) => readRow(ctx, of, word, query?.(given)),
          outcome: (row) => outcome?.(row, given) ?? {},
          watched: (values as Values)['watch'] === true,
        });
      },
    });
}

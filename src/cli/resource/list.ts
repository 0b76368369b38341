import type { Json } from '../../core/json.ts';
import { defineCommand, type Command, type WatchSpec, type CommandWords } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { isForPerson } from '../for-person.ts';
import type { Params, ValuesOf } from '../parse/params.ts';
import type { Query } from './identity/collection.ts';
import { listRows } from './identity/requests.ts';
import { manyOf } from '../schema/output-schema.ts';
import { rowSchema, type Resource } from './read.ts';
import { compileFilter, filterOptions, type Filter } from './select/selectors.ts';
import { sortOption, sortRows, type SortKey } from './select/sort.ts';
import type { Result } from '../../output/view.ts';

interface ListSpec<O extends Params> extends CommandWords {
  /** Flags beside the filters and `--sort`, which every list has. */
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

/** `berth NOUN list`: all rows, in the order of the service unless `--sort` is given. */
export function listCommand<const O extends Params>(resource: Resource, spec: ListSpec<O>): Command {
  const { query, keep, total, options, ...words } = spec;
  return defineCommand({
    ...words,
    fields: resource.view.paths,
    output: manyOf(rowSchema(resource)),
    options: { ...options, ...filterOptions(resource.table), ...sortOption(resource.table) },
    run: async (ctx, values) => {
      const given = values as unknown as ValuesOf<O>;
      const filter = values as unknown as ListFilter;
      const result = await filteredRows(ctx, resource, filter, query?.(given), (row) => keep?.(row, given) ?? true);
      const rows = result.values;
      if (total === undefined || rows.length === 0 || !isForPerson(ctx)) return result;
      return { ...result, notes: [await total(rows, isWatched(values) ? undefined : ctx)] };
    },
  });
}

/** The values of the flags that every list has. */
export type ListFilter = Filter & { readonly sort?: readonly SortKey[] };

/** The rows of a list that its filters keep, sorted. With the text of the answer where that has the same rows. */
export async function filteredRows(
  ctx: CommandContext,
  resource: Resource,
  { sort = [], ...filter }: ListFilter,
  query: Query | undefined,
  keep: (row: Json) => boolean,
): Promise<Extract<Result, { kind: 'many' }>> {
  const isWanted = compileFilter(resource.table, filter);
  const { values: all, text } = await listRows(ctx, resource, query);
  const now = ctx.serviceNow();
  const kept = all.filter((row) => isWanted(row, now) && keep(row));
  const source = kept.length === all.length && sort.length === 0 ? { source: { text, member: resource.member } } : {};
  return { kind: 'many', view: resource.view, values: sortRows(kept, sort), ...source };
}

const isWatched = (values: Readonly<Record<string, unknown>>): boolean => values['watch'] === true;

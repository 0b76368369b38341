import type { ApiRequest } from '../../core/api.ts';
import type { Json } from '../../core/json.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import { defineCommand, type Command, type WatchSpec } from '../command.ts';
import type { CommandContext } from '../context.ts';
import type { Params, ValuesOf } from '../parse/params.ts';
import { listRows, type Resource } from './read.ts';
import { compileFilter, filterOptions, type Filter } from './select/selectors.ts';
import { sortOption, sortRows, type SortKey } from './select/sort.ts';

interface ListSpec<O extends Params> {
  readonly summary: string;
  readonly details?: string;
  /** Flags beside the filters and `--sort`, which every list has. */
  readonly options?: O;
  readonly examples?: readonly (readonly [string, string])[];
  readonly watch?: true | WatchSpec;
  readonly query?: (values: ValuesOf<O>) => NonNullable<ApiRequest['query']>;
  /** Filters rows by the flags of this list, for filters that the service does not have. */
  readonly keep?: (row: Json, values: ValuesOf<O>) => boolean;
  /** A sentence about all rows, printed after the table on a terminal: `8 pods, $7.47 an hour`. */
  readonly total?: (rows: readonly Json[]) => string;
}

/** `berth NOUN list`: all rows, in the order of the service unless `--sort` is given. */
export function listCommand<const O extends Params>(resource: Resource, spec: ListSpec<O>): Command {
  const { query, keep, total, options, ...words } = spec;
  return defineCommand({
    ...words,
    fields: resource.view.paths,
    options: { ...options, ...filterOptions(resource.table), ...sortOption(resource.table) },
    run: async (ctx, values) => {
      const given = values as unknown as ValuesOf<O>;
      const { sort = [], ...filter } = values as unknown as Filter & { readonly sort?: readonly SortKey[] };
      const isWanted = compileFilter(resource.table, filter);
      const all = await listRows(ctx, resource, query?.(given));
      const now = ctx.serviceNow();
      const kept = all.values.filter((row) => isWanted(row, now) && (keep?.(row, given) ?? true));
      const source =
        kept.length === all.values.length && sort.length === 0
          ? { source: { text: all.text, member: resource.member } }
          : {};
      const rows = sortRows(kept, sort);
      const notes = total !== undefined && rows.length > 0 && isForPerson(ctx) ? { notes: [total(rows)] } : {};
      return { kind: 'many', view: resource.view, values: rows, ...source, ...notes };
    },
  });
}

/** Whether a table is printed on a terminal. Only then is a total said, so that pipes and logs have rows alone. */
const isForPerson = ({ terminal, output }: CommandContext): boolean =>
  terminal.output && terminal.errors && isTableOutput(output);

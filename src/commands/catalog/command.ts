import type { ApiRequest } from '../../core/api.ts';
import { usage } from '../../core/failure.ts';
import { defineCommand, type Command } from '../../cli/command.ts';
import { sendTo } from '../../cli/resource/identity/identify.ts';
import { arg, flagName, type Params, type ValuesOf } from '../../cli/parse/params.ts';
import { listRows, type Resource } from '../../cli/resource/read.ts';
import { compileFilter, filterOptions, type Filter } from '../../cli/resource/select/selectors.ts';
import { sortOption, sortRows, type SortKey } from '../../cli/resource/select/sort.ts';
import type { Json } from '../../core/json.ts';
import type { View } from '../../output/view.ts';

export type Query = NonNullable<ApiRequest['query']>;

interface CatalogSpec<O extends Params> {
  readonly summary: string;
  readonly details?: string;
  readonly options: O;
  readonly query: (values: ValuesOf<O>) => Query;
  /** Filters the rows of a list, for filters that the service does not have. */
  readonly keep?: (row: Json, values: ValuesOf<O>) => boolean;
  /** The view for these flags and rows; the resource's own view where absent. */
  readonly view?: (values: ValuesOf<O>, rows: readonly Json[]) => View;
  /** Flags that only a list takes. */
  readonly listOnly?: readonly (keyof O & string)[];
  /** The path that one entry is read from; the path of the list where absent. */
  readonly onePath?: readonly string[];
  readonly examples?: readonly (readonly [string, string])[];
}

/** `berth catalog KIND [ID]`: the list, filtered and sorted as every list, or one entry in full. */
export function catalogCommand<const O extends Params>(resource: Resource, spec: CatalogSpec<O>): Command {
  const { summary, details, options, query, listOnly = [], onePath = resource.path, examples = [] } = spec;
  const listOptions = { ...filterOptions(resource.table), ...sortOption(resource.table) };
  return defineCommand({
    summary,
    ...(details === undefined ? {} : { details }),
    args: { id: arg.optional(`one ${resource.noun}, by id or name`, { complete: resource }) },
    options: { ...options, ...listOptions },
    fields: resource.view.paths,
    examples,
    run: async (ctx, allValues) => {
      const values = allValues as unknown as ValuesOf<O>;
      const { id: given, sort = [], ...filter } = allValues as unknown as CatalogValues;
      const asked = query(values);
      if (given === undefined) {
        const isWanted = compileFilter(resource.table, filter);
        const all = await listRows(ctx, resource, asked);
        const now = ctx.serviceNow();
        const kept = all.values.filter((row) => isWanted(row, now) && (spec.keep?.(row, values) ?? true));
        const isWhole = kept.length === all.values.length && sort.length === 0;
        const source = isWhole ? { source: { text: all.text, member: resource.member } } : {};
        const view = spec.view?.(values, kept) ?? resource.view;
        return { kind: 'many', view, values: sortRows(kept, sort), ...source };
      }
      const ofLists = [...listOnly, ...Object.keys(listOptions)];
      const filters = ofLists.filter((key) => isGiven((allValues as Readonly<Record<string, unknown>>)[key]));
      if (filters.length > 0)
        throw usage(
          `${filters.map(flagName).join(' and ')} filters the list, and ${given} is one of it`,
          'Leave one out.',
        );
      const { answer } = await sendTo(ctx, resource, given, (id) => ({
        service: 'base',
        method: 'GET',
        path: [...onePath, id],
        query: asked,
        id,
      }));
      const value = answer.value ?? null;
      return { kind: 'one', view: spec.view?.(values, [value]) ?? resource.view, value, source: answer.text };
    },
  });
}

interface CatalogValues extends Filter {
  readonly id?: string;
  readonly sort?: readonly SortKey[];
}

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);

/** Joins the values of one query parameter with commas (contract rules, Catalog). */
export const joined = (values: readonly string[]): string | undefined =>
  values.length === 0 ? undefined : values.join(',');

/**
 * The query for availability: `include=AVAILABILITY` with a product (default POD), and the filters, which need both
 * (contract rules, Catalog).
 */
export const availabilityQuery = (product: readonly string[], filters: Query): Query => ({
  include: 'AVAILABILITY',
  product: joined(product) ?? 'POD',
  ...filters,
});

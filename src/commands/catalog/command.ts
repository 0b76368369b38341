import { usage } from '../../core/failure.ts';
import { defineCommand, type Command, type CommandWords, type WatchSpec } from '../../cli/model/command.ts';
import { sendTo } from '../../cli/resource/identity/identify.ts';
import { arg, flagName, isGiven, type Params, type ValuesOf } from '../../cli/model/params.ts';
import type { Query } from '../../cli/model/collection.ts';
import { rowRequest } from '../../cli/resource/identity/requests.ts';
import { rowSchema, type Resource } from '../../cli/resource/read.ts';
import { either, manyOf } from '../../cli/model/output-schema.ts';
import type { Json } from '../../core/json.ts';
import { answerResult, type View } from '../../output/view.ts';
import { filteredRows, listOptions, type ListFilter } from '../../cli/resource/list.ts';

interface CatalogSpec<O extends Params> extends CommandWords {
  readonly options: O;
  readonly query: (values: ValuesOf<O>) => Query;
  /** Filters the rows of a list, for filters that the service does not have. */
  readonly keep?: (row: Json, values: ValuesOf<O>) => boolean;
  /** The view for these flags and rows; the resource's own view where absent. */
  readonly view?: (values: ValuesOf<O>, rows: readonly Json[]) => View;
  /** Refuses values by all rows of a list, before they are filtered: usage (2). */
  readonly check?: (values: ValuesOf<O>, rows: readonly Json[]) => void;
  /** See `CommandSpec.watch`. */
  readonly watch?: WatchSpec;
  /** Flags that only a list takes. */
  readonly listOnly?: readonly (keyof O & string)[];
  /** The path that one entry is read from; the path of the list where absent. */
  readonly onePath?: readonly string[];
}

/** `berth catalog KIND [ID]`: the list, filtered and sorted as every list, or one entry in full. */
export function catalogCommand<const O extends Params>(resource: Resource, spec: CatalogSpec<O>): Command {
  const { summary, details, options, query, listOnly = [], onePath = resource.path, examples } = spec;
  const ofEveryList = listOptions(resource.table);
  return defineCommand({
    summary,
    details,
    args: { id: arg.optional(`one ${resource.noun}, by id or name`, { complete: resource }) },
    options: { ...options, ...ofEveryList },
    fields: resource.view.paths,
    output: either(manyOf(rowSchema(resource)), rowSchema(resource)),
    examples,
    ...(spec.watch === undefined ? {} : { watch: spec.watch }),
    run: async (ctx, allValues) => {
      const values = allValues as unknown as ValuesOf<O>;
      const { id: given, ...filter } = allValues as unknown as ListFilter & { readonly id?: string };
      const asked = query(values);
      if (given === undefined) {
        const all: Json[] = [];
        const keep = (row: Json) => {
          all.push(row);
          return spec.keep?.(row, values) ?? true;
        };
        const result = await filteredRows(ctx, resource, filter, { query: asked, keep });
        spec.check?.(values, all);
        return { ...result, view: spec.view?.(values, result.values) ?? resource.view };
      }
      const ofLists = [...listOnly, ...Object.keys(ofEveryList)];
      const filters = ofLists.filter((key) => isGiven((allValues as Readonly<Record<string, unknown>>)[key]));
      if (filters.length > 0)
        throw usage(
          `${filters.map(flagName).join(' and ')} filters the list, and ${given} is one of it`,
          'Leave one out.',
        );
      const { answer } = await sendTo(ctx, resource, given, (id) => rowRequest({ path: onePath }, id, asked));
      return answerResult(spec.view?.(values, [answer.value ?? null]) ?? resource.view, answer);
    },
  });
}

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

import type { ApiRequest } from '../../core/api.ts';
import { usage } from '../../core/failure.ts';
import { defineCommand, type Command } from '../../cli/command.ts';
import { sendTo } from '../../cli/resource/identity/identify.ts';
import { arg, flagName, type Params, type ValuesOf } from '../../cli/parse/params.ts';
import { listRows, type Resource } from '../../cli/resource/read.ts';
import type { View } from '../../output/view.ts';

export type Query = NonNullable<ApiRequest['query']>;

interface CatalogSpec<O extends Params> {
  readonly summary: string;
  readonly options: O;
  readonly query: (values: ValuesOf<O>) => Query;
  /** The view for these flags; the resource's own view where absent. */
  readonly view?: (values: ValuesOf<O>) => View;
  /** Flags that only a list takes. */
  readonly listOnly?: readonly (keyof O & string)[];
  /** The path that one entry is read from; the path of the list where absent. */
  readonly onePath?: readonly string[];
  readonly examples?: readonly (readonly [string, string])[];
}

/** `berth catalog NOUN [ID]`: the list, or one entry in full. */
export function catalogCommand<const O extends Params>(resource: Resource, spec: CatalogSpec<O>): Command {
  const { summary, options, query, listOnly = [], onePath = resource.path, examples = [] } = spec;
  return defineCommand({
    summary,
    args: { id: arg.optional(`one ${resource.noun}, by id or name`) },
    options,
    examples,
    run: async (ctx, values) => {
      const asked = query(values);
      const view = spec.view?.(values) ?? resource.view;
      const given = (values as { readonly id?: string }).id;
      if (given === undefined) {
        const rows = await listRows(ctx, resource, asked);
        const source = { text: rows.text, member: resource.member };
        return { kind: 'many', view, values: rows.values, source };
      }
      const filters = listOnly.filter((key) => isGiven((values as Readonly<Record<string, unknown>>)[key]));
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
      return { kind: 'one', view, value: answer.value ?? null, source: answer.text };
    },
  });
}

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);

/** Joins the values of one query parameter with commas (contract rules, Catalog). */
export const joined = (values: readonly string[]): string | undefined =>
  values.length === 0 ? undefined : values.join(',');

interface AvailabilityFlags {
  readonly available: boolean;
  readonly product: readonly string[];
}

/**
 * The query for `--available`: `include=AVAILABILITY` with a product (default POD), and the filters, which need both
 * (contract rules, Catalog). Fails with usage (2) for a filter without `--available`.
 */
export function availabilityQuery({ available, product }: AvailabilityFlags, filters: Query): Query {
  const asked = Object.values(filters).some((value) => value !== undefined) || product.length > 0;
  if (asked && !available) throw usage('these filters ask about availability', 'Add --available.');
  return available ? { include: 'AVAILABILITY', product: joined(product) ?? 'POD', ...filters } : {};
}

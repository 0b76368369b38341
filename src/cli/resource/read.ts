import { itemsAt, type Json } from '../../core/json.ts';
import type { ApiRequest } from '../../core/api.ts';
import type { Result, View } from '../../output/view.ts';
import { defineCommand, type Command, type WatchSpec } from '../command.ts';
import type { CommandContext } from '../context.ts';
import type { Collection } from './identity/collection.ts';
import { viewOf, type ResourceTable } from './fields.ts';
import { sendTo } from './identity/identify.ts';
import { pickRow } from './identity/pick-row.ts';
import { arg, type Params, type ValuesOf } from '../parse/params.ts';

/** A collection of the management API with the view of its rows. */
export interface Resource<N extends string = string> extends Collection<N> {
  readonly view: View;
  /** Its fields, for selectors and sorting. */
  readonly table?: ResourceTable;
}

/** A collection with the fields and the view of its rows. */
export const resourceOf = <N extends string>(collection: Collection<N>, table: ResourceTable): Resource<N> => ({
  ...collection,
  table,
  view: viewOf(table),
});

type Query = NonNullable<ApiRequest['query']>;

/** The placeholder of an id in help: `GPU-TYPE`. */
export const metavar = (resource: Resource): string => resource.noun.toUpperCase().replaceAll(' ', '-');

/** Reads the rows of a collection. Fails with unavailable (7) if the answer has no list. */
export async function listRows(
  ctx: CommandContext,
  resource: Collection,
  query: Query = {},
): Promise<{ readonly values: readonly Json[]; readonly text: string }> {
  const answer = await ctx.api.send({
    service: 'base',
    method: 'GET',
    path: resource.path,
    query,
    expects: { list: resource.member },
  });
  return { values: itemsAt(answer.value, resource.member), text: answer.text };
}

interface GetSpec<O extends Params> {
  readonly summary: string;
  readonly details?: string;
  readonly options?: O;
  readonly examples?: readonly (readonly [string, string])[];
  readonly watch?: true | WatchSpec;
  readonly query?: (values: ValuesOf<O>) => Query;
  /** The exit code and notes for a row. */
  readonly outcome?: (row: Json, values: ValuesOf<O>) => Pick<Result, 'exit' | 'notes'>;
}

/** `berth NOUN get ID`: one row in detail, by id or name. */
export function getCommand<const O extends Params>(resource: Resource, spec: GetSpec<O>): Command {
  const { query, outcome, ...words } = spec;
  const idArgument = arg.text(`${resource.noun} id or name`, {
    metavar: metavar(resource),
    ask: pickRow(resource),
    complete: resource,
  });
  return defineCommand({
    ...words,
    fields: resource.view.paths,
    args: { id: idArgument },
    run: async (ctx, values) => {
      const given = values as unknown as ValuesOf<O>;
      const { answer } = await sendTo(ctx, resource, values.id, (id) => ({
        service: 'base',
        method: 'GET',
        path: [...resource.path, id],
        query: query?.(given) ?? {},
        id,
      }));
      const value = answer.value ?? null;
      return { kind: 'one', view: resource.view, value, source: answer.text, ...outcome?.(value, given) };
    },
  });
}

import type { Json } from '../../core/json.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { Result, View } from '../../output/view.ts';
import type { ExitCode } from '../../core/exit-codes.ts';
import type { CommandContext } from '../model/context.ts';
import { defineCommand, type Command, type WatchSpec, type CommandWords } from '../model/command.ts';
import type { Collection, Query } from '../model/collection.ts';
import { rowRequest } from './identity/requests.ts';
import { viewOf, type ResourceTable } from './fields/fields.ts';
import { sendTo } from './identity/identify.ts';
import { eachSchema, READS_SEVERAL, readEach } from './several/read-each.ts';
import { pickRow } from './identity/pick-row.ts';
import { arg, type Params, type ValuesOf, type Param } from '../model/params.ts';
import { ANY_OBJECT, contractSchema, type OutputSchema } from '../model/output-schema.ts';
import { SELECTOR_KEYS } from './select/selectors.ts';

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

/** What `--json` prints of a row. */
export const rowSchema = ({ schema }: Collection): OutputSchema =>
  schema === undefined ? ANY_OBJECT : contractSchema(schema);

/** The placeholder of an id in help: `GPU-TYPE`. */
const metavar = ({ noun }: Collection): string => noun.toUpperCase().replaceAll(' ', '-');

const idShape = (resource: Collection, keep?: (row: Json) => boolean) => ({
  metavar: metavar(resource),
  ask: pickRow(resource, keep),
  complete: resource,
});

/** The argument for the id or name of a row; on a terminal a missing one is picked from the list. */
export const idArgument = (resource: Collection): Param<string> =>
  arg.text(`${resource.noun} id or name`, idShape(resource));

/** The argument for ids or names of rows, which selectors may replace; `keep` says which rows are offered for a missing one. */
export const idsArgument = (resource: Collection, keep?: (row: Json) => boolean): Param<readonly string[]> =>
  arg.ids(`${resource.noun} ids or names`, { ...idShape(resource, keep), unless: SELECTOR_KEYS });

export type CompleteRows = (ctx: CommandContext, rows: readonly Json[]) => Promise<readonly Json[]>;

/** The rows of a table, completed; those of another format as they are. */
export const completeRows = async (
  ctx: CommandContext,
  complete: CompleteRows | undefined,
  rows: readonly Json[],
): Promise<readonly Json[]> =>
  complete === undefined || !isTableOutput(ctx.output) ? rows : await complete(ctx, rows);

interface GetSpec<O extends Params> extends CommandWords {
  readonly options?: O;
  readonly watch?: true | WatchSpec;
  readonly exits?: readonly ExitCode[];
  readonly query?: (values: ValuesOf<O>) => Query;
  /** Completes rows with what their table shows and the service does not send. Not called for JSON. */
  readonly complete?: CompleteRows;
  /** The exit code and notes for a row. */
  readonly outcome?: (row: Json, values: ValuesOf<O>) => Pick<Result, 'exit' | 'notes'>;
}

/** `berth NOUN get ID...`: one row in detail, or several as a list, by ids or names. */
export function getCommand<const O extends Params>(resource: Resource, spec: GetSpec<O>): Command {
  const { query, outcome, complete, ...words } = spec;
  return defineCommand({
    ...words,
    fields: resource.view.paths,
    details: [words.details, READS_SEVERAL].filter((each) => each !== undefined).join(' '),
    output: eachSchema(rowSchema(resource)),
    args: { id: arg.ids(`${resource.noun} ids or names`, idShape(resource)) },
    run: async (ctx, values) => {
      const given = values as unknown as ValuesOf<O> & { readonly watch?: boolean };
      return await readEach(ctx, values.id, {
        view: resource.view,
        read: async (word) => {
          const { answer } = await sendTo(ctx, resource, word, (id) => rowRequest(resource, id, query?.(given)));
          const [value = null] = await completeRows(ctx, complete, [answer.value ?? null]);
          return { ...answer, value };
        },
        outcome: (row) => outcome?.(row, given) ?? {},
        watched: given.watch === true,
      });
    },
  });
}

import type { Collection, Query } from '../model/collection.ts';
import { type Command, type CommandWords, defineCommand, type WatchSpec } from '../model/command.ts';
import type { CommandContext } from '../model/context.ts';
import { ANY_OBJECT, contractSchema, type OutputSchema } from '../model/output-schema.ts';
import { arg, type Ask, type Param, type Params, type ValuesOf } from '../model/params.ts';
import { type ResourceTable, viewOf } from './fields.ts';
import { sendTo } from './identify.ts';
import { lookupRows, rowRequest } from './requests.ts';
import { SELECTOR_KEYS } from './selectors.ts';
import { eachSchema, readEach, READS_SEVERAL } from './several.ts';
import type { ExitCode } from '../../core/exit-codes.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import { formatDollars } from '../../core/units.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { Result, View } from '../../output/view.ts';

const pickRow = (collection: Collection, keep: (row: Json) => boolean = () => true): Ask => ({
  kind: 'pick',
  question: collection.noun.charAt(0).toUpperCase() + collection.noun.slice(1),
  choices: async (ctx) => {
    const rows = await lookupRows(ctx, collection);
    return rows.filter(keep).flatMap((row) => {
      const id = stringAt(row, 'id');
      return id === undefined ? [] : [{ name: [id, ...wordsOf(row)].join('  '), value: id }];
    });
  },
});

function wordsOf(row: Json): readonly string[] {
  const cost = numberAt(row, 'cost');
  return [
    stringAt(row, 'name'),
    stringAt(row, 'status'),
    cost === undefined ? undefined : `${formatDollars(cost)}/hr`,
  ].flatMap((word) => (word === undefined || word === '' ? [] : [word]));
}

export interface Resource<N extends string = string> extends Collection<N> {
  readonly view: View;
  readonly table?: ResourceTable;
}

export const resourceOf = <N extends string>(collection: Collection<N>, table: ResourceTable): Resource<N> => ({
  ...collection,
  table,
  view: viewOf(table),
});

export const rowSchema = ({ schema }: Collection): OutputSchema =>
  schema === undefined ? ANY_OBJECT : contractSchema(schema);

const metavar = ({ noun }: Collection): string => noun.toUpperCase().replaceAll(' ', '-');

const idShape = (resource: Collection, keep?: (row: Json) => boolean) => ({
  metavar: metavar(resource),
  ask: pickRow(resource, keep),
  complete: resource,
});

/** On a terminal a missing one is picked from the list. */
export const idArgument = (resource: Collection): Param<string> =>
  arg.text(`${resource.noun} id or name`, idShape(resource));

/** Selectors may replace it; `keep` says which rows are offered for a missing one. */
export const idsArgument = (resource: Collection, keep?: (row: Json) => boolean): Param<readonly string[]> =>
  arg.ids(`${resource.noun} ids or names`, { ...idShape(resource, keep), unless: SELECTOR_KEYS });

/** One row or several, without selectors. */
export const idsOnlyArgument = (resource: Collection): Param<readonly string[]> =>
  arg.ids(`${resource.noun} ids or names`, idShape(resource));

export type CompleteRows = (ctx: CommandContext, rows: readonly Json[]) => Promise<readonly Json[]>;

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
  /** Adds what the service does not send. Not called for JSON. */
  readonly complete?: CompleteRows;
  readonly outcome?: (row: Json, values: ValuesOf<O>) => Pick<Result, 'exit' | 'notes'>;
}

export function getCommand<const O extends Params>(resource: Resource, spec: GetSpec<O>): Command {
  const { query, outcome, complete, ...words } = spec;
  return defineCommand({
    ...words,
    fields: resource.view.paths,
    details: [words.details, READS_SEVERAL].filter((each) => each !== undefined).join(' '),
    output: eachSchema(rowSchema(resource)),
    args: { id: idsOnlyArgument(resource) },
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

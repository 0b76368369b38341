import type { Collection } from '../model/collection.ts';
import { SELECTOR_KEYS } from './selectors.ts';
import type { CommandContext } from '../model/context.ts';
import { ANY_OBJECT, contractSchema, type OutputSchema } from '../model/output-schema.ts';
import { arg, type Ask, type Param } from '../model/params.ts';
import { type ResourceTable, viewOf } from './fields.ts';
import { lookupRows } from './requests.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import { formatDollars } from '../../core/units.ts';
import { isTableOutput } from '../../output/formats/format-table.ts';
import type { View } from '../../output/view.ts';

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

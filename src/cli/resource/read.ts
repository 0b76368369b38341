import type { Collection } from '../model/collection.ts';
import { SELECTOR_KEYS } from './selectors.ts';
import { ANY_OBJECT, contractSchema, type OutputSchema } from '../model/output-schema.ts';
import { arg, type Ask, type Param } from '../model/params.ts';
import { lookupRows } from './requests.ts';
import { type Json, numberAt, stringAt } from '../../core/json.ts';
import { hourlyPrice } from '../../core/units.ts';

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
  return [stringAt(row, 'name'), stringAt(row, 'status'), hourlyPrice(cost)].flatMap((word) =>
    word === undefined || word === '' ? [] : [word],
  );
}

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

import { type Json, numberAt, stringAt } from '../../../core/json.ts';
import { formatDollars } from '../../../core/units.ts';
import type { Ask } from '../../model/params.ts';
import type { Collection } from '../../model/collection.ts';
import { lookupRows } from './requests.ts';

/** The question for a missing id: the rows of the collection that `keep` takes, filtered by what the user types. */
export const pickRow = (collection: Collection, keep: (row: Json) => boolean = () => true): Ask => ({
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

/** What a person tells rows apart by: name, status, price an hour. */
function wordsOf(row: Json): readonly string[] {
  const cost = numberAt(row, 'cost');
  return [
    stringAt(row, 'name'),
    stringAt(row, 'status'),
    cost === undefined ? undefined : `${formatDollars(cost)}/hr`,
  ].flatMap((word) => (word === undefined || word === '' ? [] : [word]));
}

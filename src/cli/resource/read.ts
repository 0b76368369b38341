import { type Collection, describedBy, type Query } from '../model/collection.ts';
import { SELECTOR_KEYS } from './selectors.ts';
import { ANY_OBJECT, contractSchema, type OutputSchema } from '../model/output-schema.ts';
import { arg, type Ask, type Param } from '../model/params.ts';
import { listRows, lookupRows } from './requests.ts';
import { type Json, stringAt } from '../../core/json.ts';

interface Picked {
  readonly query?: Query;
  readonly keep?: (row: Json) => boolean;
}

/** From the rows as the service has them now. */
export const pick = (of: Collection, { query, keep = () => true }: Picked = {}): Ask => ({
  kind: 'pick',
  question: of.noun.charAt(0).toUpperCase() + of.noun.slice(1),
  choices: async (ctx) => {
    const rows = query === undefined ? await lookupRows(ctx, of) : (await listRows(ctx, of, query)).values;
    const found = new Map<string, string>();
    for (const row of rows.filter(keep)) {
      const value = stringAt(row, of.value ?? 'id');
      if (value === undefined || found.has(value)) continue;
      found.set(value, [value, stringAt(row, 'name') ?? '', ...describedBy(row, of)].filter(Boolean).join('  '));
    }
    return [...found].map(([value, name]) => ({ name, value }));
  },
});

/** With whether it can be had now (contract rules, Catalog). */
export const pickOfCatalog = (of: Collection, product: 'POD' | 'CLUSTER' | 'SERVERLESS'): Ask =>
  pick(
    { ...of, described: [...(of.described ?? []), 'availability'] },
    { query: { include: 'AVAILABILITY', product } },
  );

export const rowSchema = ({ schema }: Collection): OutputSchema =>
  schema === undefined ? ANY_OBJECT : contractSchema(schema);

const metavar = ({ noun }: Collection): string => noun.toUpperCase().replaceAll(' ', '-');

const idShape = (resource: Collection, keep?: (row: Json) => boolean) => ({
  metavar: metavar(resource),
  ask: pick(resource, keep && { keep }),
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

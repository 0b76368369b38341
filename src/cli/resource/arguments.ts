import { type Collection, describedBy, type Query } from '../model/collection.ts';
import { ANY_OBJECT, contractSchema, type OutputSchema } from '../model/output-schema.ts';
import { arg, type Ask, option, type Param, type Params } from '../model/params.ts';
import type { ResourceTable } from './fields.ts';
import { listRows, lookupRows } from './pages.ts';
import { type Json, memberAt, stringAt, stringOf } from '../../core/json.ts';
import { compileGlobs } from '../../core/patterns.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';

export const SELECTOR_KEYS = ['match', 'status', 'olderThan', 'all'] as const;

interface SelectorParams extends Params {
  readonly match: Param<readonly string[]>;
  readonly status: Param<readonly string[] | undefined>;
  readonly olderThan: Param<number | undefined>;
  readonly all: Param<boolean>;
}

const match = option.texts("with a name like this pattern, such as 'train-*'", { metavar: 'GLOB' });

/** Only those that its rows have members for. */
export function filterOptions(table: ResourceTable): Params {
  return {
    ...(hasNames(table) ? { match: { ...match, summary: `only ${match.summary}` } } : {}),
    ...statusOption(table, 'only with one of these statuses'),
    ...(ageField(table) === undefined
      ? {}
      : {
          olderThan: option.durationWithUnit('only created longer ago than this, such as 3d'),
          newerThan: option.durationWithUnit('only created within this time, such as 2h'),
        }),
  };
}

export function selectorOptions(table: ResourceTable, plural: string): SelectorParams {
  const options: Params = {
    match: { ...match, summary: `all ${plural} ${match.summary}` },
    ...statusOption(table, `all ${plural} with one of these statuses`),
    ...(ageField(table) === undefined
      ? {}
      : { olderThan: option.durationWithUnit(`all ${plural} created longer ago than this, such as 3d`) }),
    all: option.on(`all ${plural} of the list`),
  };
  // A flag that does not fit the resource is absent, and its value undefined.
  return options as SelectorParams;
}

function statusOption(table: ResourceTable, summary: string): Params {
  const choices = table.fields['status']?.values;
  return choices === undefined ? {} : { status: option.list(summary, { metavar: 'STATUS', choices }) };
}

const hasNames = (table: ResourceTable): boolean => table.fields['name']?.path === 'name';

const ageField = (table: ResourceTable): string | undefined =>
  table.fields['createdAt']?.type === 'time' ? table.fields['createdAt'].path : undefined;

/** What a row must fit: every member that is given, and one of several values. */
export interface RowFilter {
  readonly match?: readonly string[] | undefined;
  readonly status?: readonly string[] | undefined;
  readonly olderThan?: Milliseconds | undefined;
  readonly newerThan?: Milliseconds | undefined;
}

/** A row of unknown age is neither older nor newer. Fails with usage (2) for an empty pattern. */
export function compileFilter(
  table: ResourceTable,
  { match: globs = [], status = [], olderThan, newerThan }: RowFilter,
): (row: Json, now: EpochMs) => boolean {
  const isMatch = globs.length === 0 ? () => true : compileGlobs(globs, '--match');
  const createdAt = ageField(table) ?? 'createdAt';
  return (row, now) => {
    const ageMs = now - Date.parse(stringAt(row, createdAt) ?? '');
    return (
      isMatch(stringAt(row, 'name') ?? '') &&
      isAmong(status, memberAt(row, 'status')) &&
      (olderThan === undefined || ageMs > olderThan) &&
      (newerThan === undefined || ageMs < newerThan)
    );
  };
}

export const isAmong = (wanted: readonly string[], value: Json | undefined): boolean =>
  wanted.length === 0 || wanted.some((each) => each.toLowerCase() === stringOf(value)?.toLowerCase());

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

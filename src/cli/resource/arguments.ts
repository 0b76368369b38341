import { type Collection, describedBy } from '../model/collection.ts';
import { ANY_OBJECT, contractSchema, type OutputSchema } from '../model/output-schema.ts';
import { arg, type Ask, option, type Param, type Params } from '../model/params.ts';
import type { ResourceTable } from './fields.ts';
import { ENDPOINTS } from './collections.ts';
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

const match = (which: string) =>
  option.texts(`${which} with a name like this pattern, such as 'train-*'`, { metavar: 'GLOB' });

const status = (table: ResourceTable, summary: string): Params => {
  const choices = table.fields['status']?.values;
  return choices === undefined ? {} : { status: option.list(summary, { metavar: 'STATUS', choices }) };
};

const isNamed = (table: ResourceTable): boolean => table.fields['name']?.path === 'name';

/** Only those that its rows have members for. */
export const filterOptions = (table: ResourceTable): Params => ({
  ...(isNamed(table) && { match: match('only') }),
  ...status(table, 'only with one of these statuses'),
  ...(ageField(table) !== undefined && {
    olderThan: option.durationWithUnit('only created longer ago than this, such as 3d'),
    newerThan: option.durationWithUnit('only created within this time, such as 2h'),
  }),
});

/** A flag that does not fit the resource is absent, and its value undefined. */
export const selectorOptions = (table: ResourceTable, plural: string): SelectorParams =>
  ({
    ...(isNamed(table) && { match: match(`all ${plural}`) }),
    ...status(table, `all ${plural} with one of these statuses`),
    ...(ageField(table) !== undefined && {
      olderThan: option.durationWithUnit(`all ${plural} created longer ago than this, such as 3d`),
    }),
    all: option.on(`all ${plural} of the list`),
  }) as Params as SelectorParams;

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

/** From the rows as the service has them now; of a product, with whether it can be had (contract rules, Catalog). */
export const pick = (of: Collection, product?: 'POD' | 'CLUSTER' | 'SERVERLESS'): Ask => ({
  kind: 'pick',
  question: of.noun.charAt(0).toUpperCase() + of.noun.slice(1),
  choices: async (ctx) => {
    const query = product && { include: 'AVAILABILITY', product };
    const rows = query === undefined ? await lookupRows(ctx, of) : (await listRows(ctx, of, query)).values;
    const described = query === undefined ? of.described : [...(of.described ?? []), 'availability'];
    const found = new Map<string, string>();
    for (const row of rows) {
      const value = stringAt(row, of.value ?? 'id');
      if (value === undefined || found.has(value)) continue;
      const words = [value, stringAt(row, 'name') ?? '', ...describedBy(row, { described })];
      found.set(value, words.filter(Boolean).join('  '));
    }
    return [...found].map(([value, name]) => ({ name, value }));
  },
});

export const rowSchema = ({ schema }: Collection): OutputSchema =>
  schema === undefined ? ANY_OBJECT : contractSchema(schema);

const idShape = (of: Collection) => ({
  metavar: of.noun.toUpperCase().replaceAll(' ', '-'),
  ask: pick(of),
  complete: of,
});

/** On a terminal a missing one is picked from the list. */
export const idArgument = (of: Collection): Param<string> => arg.text(`${of.noun} id or name`, idShape(of));

/** Selectors may replace it. */
export const idsArgument = (of: Collection): Param<readonly string[]> =>
  arg.ids(`${of.noun} ids or names`, { ...idShape(of), unless: SELECTOR_KEYS });

/** One row or several, without selectors. */
export const idsOnlyArgument = (of: Collection): Param<readonly string[]> =>
  arg.ids(`${of.noun} ids or names`, idShape(of));

export const endpointArgument = () => arg.text('endpoint id or name', { metavar: 'ENDPOINT', complete: ENDPOINTS });

/** May be a public endpoint. */
export const queueArgument = () => arg.text('endpoint id, name or model slug', { complete: ENDPOINTS });

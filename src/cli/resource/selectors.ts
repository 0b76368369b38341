import { option, type Param, type Params } from '../model/params.ts';
import type { ResourceTable } from './fields.ts';
import type { Json } from '../../core/json.ts';
import { compileRowFilter, type RowFilter } from '../../core/patterns.ts';
import type { EpochMs } from '../../core/unit-types.ts';

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

/** Fails with usage (2) for an empty pattern. */
export const compileFilter = (table: ResourceTable, filter: RowFilter): ((row: Json, now: EpochMs) => boolean) =>
  compileRowFilter(filter, '--match', ageField(table));

import { usage } from '../../core/failure.ts';
import { type Json, numberAt, numberOf, stringOf } from '../../core/json.ts';
import { option } from '../../cli/model/params.ts';
import { defineTable, type Fields } from '../../cli/resource/fields.ts';
import { text } from '../../output/cells.ts';
import type { Shown } from '../../output/view.ts';
import { DATA_CENTERS } from '../../cli/resource/collections.ts';
import { NAME_FLAG } from '../../cli/container/container-fields.ts';
import { pick } from '../../cli/resource/read.ts';
import { ofVolume, perMonth } from '../../cli/money.ts';

/** GB (specification 2.4 and 8.3: beyond 4 TB, contact support). */
export const MIN_GB = 10;
export const MAX_GB = 4096;

const TIERS = ['STANDARD', 'HIGH_PERFORMANCE'] as const;

const FIELDS = {
  id: { path: 'id' },
  name: {
    path: 'name',
    create: NAME_FLAG,
    update: option.text('its name', { metavar: 'NAME' }),
  },
  size: {
    path: 'size',
    type: 'gigabytes',
    check: checkSize,
    create: option.count('size in GB', Number.MIN_SAFE_INTEGER, {
      metavar: 'GB',
      ask: { kind: 'text', question: `Size in GB (${MIN_GB} to ${MAX_GB})`, answer: 'a size' },
    }),
    update: option.count('new size in GB', 0, { metavar: 'GB' }),
  },
  dataCenter: {
    path: 'dataCenter',
    show: dataCenter,
    check: (value) => {
      if (stringOf(value)?.trim() === '') throw usage('--data-center is empty');
    },
    create: option.text('data center: see `berth catalog datacenters`', {
      metavar: 'DC',
      onlyOne: 'A volume is in one data center.',
      complete: DATA_CENTERS,
      ask: pick(DATA_CENTERS),
    }),
  },
  /** v1's name for `dataCenter` (contract rules, Addresses). */
  dataCenterId: { path: 'dataCenterId' },
  type: {
    path: 'type',
    values: TIERS,
    column: { dropFirst: true },
    create: option.choice('storage tier', TIERS),
  },
  monthlyCost: { type: 'dollars', label: 'cost a month', show: monthlyCost, column: { header: 'COST/MONTH' } },
} as const satisfies Fields;

export const VOLUME_TABLE = defineTable({
  noun: ['volume', 'volumes'],
  fields: FIELDS,
  table: ['id', 'name', 'size', 'type', 'dataCenter', 'monthlyCost'],
  detail: [{ fields: ['id', 'name', 'size', 'type', 'dataCenter', 'monthlyCost'] }],
  others: 'first',
  members: ['id', 'name', 'size', 'dataCenter', 'type'],
});

function dataCenter(row: Json): string {
  return text('dataCenter')(row) || text('dataCenterId')(row);
}

/** High-performance storage costs more than the published price: `>$122.88`. */
function monthlyCost(row: Json): Shown {
  if (numberAt(row, 'size') === undefined) return undefined;
  const { hourly, besides } = ofVolume(row);
  return `${besides.length > 0 ? '>' : ''}${perMonth({ hourly, besides: [] }).replace('/month', '')}`;
}

export const sizeOf = (row: Json): number => numberAt(row, 'size') ?? 0;

function checkSize(value: Json): void {
  const size = numberOf(value) ?? MIN_GB;
  if (size < MIN_GB || size > MAX_GB) throw usage(`invalid --size ${size}: use ${MIN_GB} to ${MAX_GB} GB`);
}

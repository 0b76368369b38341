import { memberAt, numberOf, stringOf, type Json } from '../../core/json.ts';
import { formatDollars } from '../../core/units.ts';
import { gigabytes, text } from '../../output/layout/cells.ts';
import { otherMembers } from '../../cli/resource/detail-lines.ts';
import type { Shown, View } from '../../output/view.ts';
import { standardMonthly } from './price.ts';

/** v2 says `dataCenter`, v1 `dataCenterId` (contract rules, Addresses). */
const dataCenter = (row: Json): string => text('dataCenter')(row) || text('dataCenterId')(row);

const size = gigabytes('size');

/** By the specification's constants; only standard storage has one. */
function monthly(row: Json): Shown {
  const value = numberOf(memberAt(row, 'size'));
  if (value === undefined || memberAt(row, 'type') === 'HIGH_PERFORMANCE') return undefined;
  return formatDollars(standardMonthly(value));
}

const KNOWN = ['id', 'name', 'size', 'dataCenter', 'dataCenterId', 'type'];

export const volumeView: View = {
  noun: ['volume', 'volumes'],
  id: (row) => stringOf(memberAt(row, 'id')) ?? '',
  members: ['id', 'name', 'size', 'dataCenter', 'type'],
  columns: [
    { header: 'ID', show: text('id') },
    { header: 'NAME', show: text('name') },
    { header: 'SIZE', show: size, right: true },
    { header: 'TYPE', show: text('type'), yields: true },
    { header: 'DATA CENTER', show: dataCenter },
    { header: 'COST/MONTH', show: monthly, right: true },
  ],
  detail: (row) => [
    {
      lines: [
        { label: 'id', value: text('id')(row) },
        { label: 'name', value: text('name')(row) },
        { label: 'size', value: size(row) },
        { label: 'type', value: text('type')(row) },
        { label: 'data center', value: dataCenter(row) },
        { label: 'cost a month', value: monthly(row) },
        ...otherMembers(row, KNOWN),
      ],
    },
  ],
};

import { type Json, numberAt, stringAt } from '../../../core/json.ts';
import { money, text } from '../../../output/cells/cell-functions.ts';
import type { Column, View } from '../../../output/view.ts';
import { DAY_PARTS, PARTS, type Grouping } from './costs.ts';
import { textColumn } from '../../../cli/resource/fields/detail-lines.ts';

/** The characters of the parts of a bar, told apart without colour. */
const FILLS = ['█', '▓', '▒', '░'] as const;
const BAR_LENGTH = 16;

/** The members of a row that are parts of its total. */
export const partsOf = (by: Grouping): readonly string[] => (by === 'day' ? DAY_PARTS : PARTS);

/** `█ gpu, ▓ cpu, ▒ storage, ░ other`. */
export const legend = (by: Grouping): string =>
  partsOf(by)
    .map((part, at) => `${FILLS[at] ?? ''} ${part === 'gpu' || part === 'cpu' ? part.toUpperCase() : part}`)
    .join(', ');

/**
 * The rows of a report. On a terminal (`drawn`) a bar shows each total and its parts, in relation to the largest one. `gone`
 * are the ids of what is there no more.
 */
export function costView(by: Grouping, rows: readonly Json[], drawn: boolean, gone: ReadonlySet<string>): View {
  const parts = partsOf(by);
  const most = Math.max(0, ...rows.map((row) => valueAt(row, 'totalUsd')));
  const dollars = (member: string, header: string, dropFirst: boolean): Column => ({
    header,
    show: money(member),
    right: true,
    ...(dropFirst ? { dropFirst, counted: true } : {}),
  });
  return {
    noun: ['cost', 'costs'],
    id: text(by === 'day' ? 'day' : 'id'),
    columns: [
      ...(by === 'day'
        ? [{ header: 'DAY (UTC)', show: text('day'), cutLast: true }]
        : [
            { ...textColumn('name'), show: (row: Json) => nameOf(row, by, gone) },
            { header: by === undefined ? 'ID' : by.toUpperCase(), show: text('id'), cutLast: true },
            ...(by === undefined ? [textColumn('kind')] : []),
          ]),
      dollars('totalUsd', 'TOTAL', false),
      ...(drawn
        ? [{ header: 'CHART', show: (row: Json) => stackedBar(row, parts, most), dropFirst: true, cutLast: true }]
        : []),
      ...parts.map((part) => dollars(`${part}Usd`, part.toUpperCase(), true)),
    ],
  };
}

/** The name; of what never was listed on this machine with its name, that it is gone, or its id. */
function nameOf(row: Json, by: Grouping, gone: ReadonlySet<string>): string {
  const [name = '', id = '', kind = by] = [stringAt(row, 'name'), stringAt(row, 'id'), stringAt(row, 'kind')];
  if (name !== '') return name;
  if (gone.has(id)) return kind === 'pod' ? '(terminated)' : '(deleted)';
  return id === '' ? '-' : id;
}

const valueAt = (row: Json, member: string): number => Math.max(0, numberAt(row, member) ?? 0);

/** A bar whose length is that of the total, of parts whose lengths add up to it. */
function stackedBar(row: Json, parts: readonly string[], most: number): string {
  const total = valueAt(row, 'totalUsd');
  if (most === 0 || total === 0) return ' ';
  const length = Math.max(1, Math.round((total / most) * BAR_LENGTH));
  const ends: number[] = [];
  let upTo = 0;
  for (const part of parts) {
    upTo += valueAt(row, `${part}Usd`);
    // The running sum is rounded, so that the lengths add up.
    ends.push(Math.round((Math.min(upTo, total) / total) * length));
  }
  return ends.map((end, at) => (FILLS[at] ?? '').repeat(end - (ends[at - 1] ?? 0))).join('');
}

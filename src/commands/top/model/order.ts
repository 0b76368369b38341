import type { EndpointRow, PodRow, Row } from './rows.ts';

/** The orders of rows; `s` goes from one to the next. The largest comes first, names from A to Z, the newest first. */
export const SORTS = ['name', 'cost', 'use', 'age'] as const;
export type Sort = (typeof SORTS)[number];

/** What makes a row larger: `cost` is $ today, else $ an hour; `use` the GPU use, or the jobs that wait or run. */
const SIZES: Readonly<Record<Exclude<Sort, 'name'>, (row: Row) => number | undefined>> = {
  cost: (row) => (row.kind === 'pod' ? (row.cost ?? 0) * 24 + (row.spentToday ?? 0) : row.spentToday),
  use: (row) => (row.kind === 'pod' ? row.gpu.now : (row.waiting.now ?? 0) + (row.running.now ?? 0)),
  age: (row) => (row.createdAt === undefined ? undefined : Date.parse(row.createdAt)),
};

/** The rows that a filter keeps, in an order. A filter is text in the name, the id or the status, in any case. */
export function ordered<R extends PodRow | EndpointRow>(rows: readonly R[], sort: Sort, filter: string): readonly R[] {
  const wanted = filter.toLowerCase();
  const kept = rows.filter((row) =>
    [row.name, row.id, row.kind === 'pod' ? row.status : row.type].some((text) => text.toLowerCase().includes(wanted)),
  );
  const byName = (a: R, b: R): number => compare(a.name, b.name) || compare(a.id, b.id);
  if (sort === 'name') return [...kept].sort(byName);
  const size = (row: R): number => {
    const value = SIZES[sort](row) ?? Number.NaN;
    return Number.isNaN(value) ? -1 : value;
  };
  return [...kept].sort((a, b) => size(b) - size(a) || byName(a, b));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

import type { EndpointRow, PodRow, Row } from './rows.ts';

/** The orders of rows; `s` goes from one to the next. The largest comes first, names from A to Z, the newest first. */
export const SORTS = ['cost', 'use', 'age', 'name'] as const;
export type Sort = (typeof SORTS)[number];

/**
 * What makes a row larger, the most important first: `cost` is that of an hour, then that of today, with stopped pods
 * last; `use` is the GPU use, or the jobs that wait or run.
 */
const SIZES: Readonly<Record<Exclude<Sort, 'name'>, (row: Row) => readonly (number | undefined)[]>> = {
  cost: (row) => [isStopped(row) ? 0 : 1, row.cost, row.spentToday],
  use: (row) => [row.kind === 'pod' ? row.gpu.now : (row.waiting.now ?? 0) + (row.running.now ?? 0)],
  age: (row) => [row.createdAt === undefined ? undefined : Date.parse(row.createdAt)],
};

const isStopped = (row: Row): boolean => row.kind === 'pod' && ['EXITED', 'TERMINATED'].includes(row.status);

/** The rows that a filter keeps, in an order. A filter is text in the name, the id or the status, in any case. */
export function ordered<R extends PodRow | EndpointRow>(rows: readonly R[], sort: Sort, filter: string): readonly R[] {
  const wanted = filter.toLowerCase();
  const kept = rows.filter((row) =>
    [row.name, row.id, row.kind === 'pod' ? row.status : row.type].some((text) => text.toLowerCase().includes(wanted)),
  );
  const byName = (a: R, b: R): number => compare(a.name, b.name) || compare(a.id, b.id);
  if (sort === 'name') return [...kept].sort(byName);
  return kept
    .map((row) => ({ row, sizes: SIZES[sort](row) }))
    .sort((a, b) => compareSizes(b.sizes, a.sizes) || byName(a.row, b.row))
    .map(({ row }) => row);
}

/** What is not known is smaller than zero. */
const compareSizes = (a: readonly (number | undefined)[], b: readonly (number | undefined)[]): number => {
  const at = a.findIndex((size, index) => known(size) !== known(b[index]));
  return at === -1 ? 0 : known(a[at]) - known(b[at]);
};

const known = (size: number | undefined): number => (size === undefined || !Number.isFinite(size) ? -1 : size);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

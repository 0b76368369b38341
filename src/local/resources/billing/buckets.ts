import { badRequest } from '../../contract/problem.ts';

export type BucketSize = 'hour' | 'day' | 'week' | 'month' | 'year';

/** What a report covers: whole buckets. Milliseconds since the epoch. */
export interface Range {
  readonly start: number;
  readonly end: number;
  readonly bucketSize: BucketSize;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The first day since the epoch that is a Monday, less a week: days before it to the beginning of its week. */
const MONDAY = 3;
const DEFAULT_SPAN_MS = 30 * DAY;
/** The last moment that RFC 3339 can say. */
const LATEST = Date.UTC(9999, 11, 31);

/** The edge at or before a moment, in UTC; weeks begin on Monday. */
export function floorTo(size: BucketSize, at: number): number {
  switch (size) {
    case 'hour':
      return Math.floor(at / HOUR) * HOUR;
    case 'day':
      return Math.floor(at / DAY) * DAY;
    case 'week':
      return (Math.floor((at / DAY + MONDAY) / 7) * 7 - MONDAY) * DAY;
    case 'month':
      return calendar(at, (date) => date.setUTCDate(1));
    case 'year':
      return calendar(at, (date) => date.setUTCMonth(0, 1));
  }
}

/** So many buckets after an edge, or before it where negative. */
export function edgeAfter(size: BucketSize, edge: number, count = 1): number {
  switch (size) {
    case 'hour':
      return edge + count * HOUR;
    case 'day':
      return edge + count * DAY;
    case 'week':
      return edge + count * 7 * DAY;
    case 'month':
      return calendar(edge, (date) => date.setUTCMonth(date.getUTCMonth() + count));
    case 'year':
      return calendar(edge, (date) => date.setUTCFullYear(date.getUTCFullYear() + count));
  }
}

function calendar(at: number, move: (date: Date) => unknown): number {
  const date = new Date(floorTo('day', at));
  move(date);
  return date.getTime();
}

const ceilTo = (size: BucketSize, at: number): number => {
  const edge = floorTo(size, at);
  return edge === at ? edge : edgeAfter(size, edge);
};

/**
 * What a query asks for, snapped outward to bucket edges: `startTime` and `endTime`, or the last so many buckets, the
 * present one included; the last 30 days where it says nothing (contract rules, Billing). Throws the 400 Problem where it
 * says both, or nothing lies between.
 */
export function rangeOf(query: URLSearchParams, now: number): Range {
  const bucketSize = (query.get('bucketSize') ?? 'day') as BucketSize;
  const [startTime, endTime, lastN] = [query.get('startTime'), query.get('endTime'), query.get('lastN')];
  if (lastN !== null) {
    if (startTime !== null || endTime !== null) throw badRequest('lastN and startTime or endTime exclude each other');
    const end = ceilTo(bucketSize, now);
    // Earlier than any account; a date knows no beginning of a million years ago.
    const start = Math.max(edgeAfter(bucketSize, end, -Number(lastN)) || 0, floorTo(bucketSize, 0));
    return { start, end, bucketSize };
  }
  const until = endTime === null ? now : Date.parse(endTime);
  const from = startTime === null ? until - DEFAULT_SPAN_MS : Date.parse(startTime);
  if (from >= until) throw badRequest('startTime must be before endTime');
  if (until > LATEST) throw badRequest('endTime is too far away');
  return { start: floorTo(bucketSize, from), end: ceilTo(bucketSize, until), bucketSize };
}

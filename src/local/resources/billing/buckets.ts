import { DAY_MS, HOUR_MS } from '../../../core/durations.ts';
import { badRequest } from '../../contract/problem.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

export type BucketSize = 'hour' | 'day' | 'week' | 'month' | 'year';

/** The range of a report: whole buckets. */
export interface Range {
  readonly start: EpochMs;
  readonly end: EpochMs;
  readonly bucketSize: BucketSize;
}

/** The epoch was a Thursday: three days after the start of its week. */
const EPOCH_WEEKDAY = 3;
const DEFAULT_RANGE_MS = 30 * DAY_MS;
/** The last day that RFC 3339 can express. */
const MAX_TIME = Date.UTC(9999, 11, 31);

/** The start of the bucket that contains a time, in UTC; weeks start on Monday. */
export function bucketStart(size: BucketSize, at: number): number {
  switch (size) {
    case 'hour':
      return Math.floor(at / HOUR_MS) * HOUR_MS;
    case 'day':
      return Math.floor(at / DAY_MS) * DAY_MS;
    case 'week':
      return (Math.floor((at / DAY_MS + EPOCH_WEEKDAY) / 7) * 7 - EPOCH_WEEKDAY) * DAY_MS;
    case 'month':
      return calendar(at, (date) => date.setUTCDate(1));
    case 'year':
      return calendar(at, (date) => date.setUTCMonth(0, 1));
  }
}

/** The start of the bucket `count` after the one that starts at `start`; before it when `count` is negative. */
export function addBuckets(size: BucketSize, start: EpochMs, count = 1): number {
  switch (size) {
    case 'hour':
      return start + count * HOUR_MS;
    case 'day':
      return start + count * DAY_MS;
    case 'week':
      return start + count * 7 * DAY_MS;
    case 'month':
      return calendar(start, (date) => date.setUTCMonth(date.getUTCMonth() + count));
    case 'year':
      return calendar(start, (date) => date.setUTCFullYear(date.getUTCFullYear() + count));
  }
}

function calendar(at: number, move: (date: Date) => unknown): number {
  const date = new Date(bucketStart('day', at));
  move(date);
  return date.getTime();
}

const ceilTo = (size: BucketSize, at: number): number => {
  const start = bucketStart(size, at);
  return start === at ? start : addBuckets(size, start);
};

/**
 * The range of a query, extended to whole buckets: from `startTime` to `endTime`, or the last `lastN` buckets with the
 * current one; the last 30 days by default (contract rules, Billing). Throws the 400 Problem when both are given, or the
 * range is empty.
 */
export function rangeOf(query: URLSearchParams, now: EpochMs): Range {
  const bucketSize = (query.get('bucketSize') ?? 'day') as BucketSize;
  const [startTime, endTime, lastN] = [query.get('startTime'), query.get('endTime'), query.get('lastN')];
  if (lastN !== null) {
    if (startTime !== null || endTime !== null) throw badRequest('lastN and startTime or endTime exclude each other');
    const end = ceilTo(bucketSize, now);
    // A date too far in the past is not a number: the range then starts at the epoch, before any account.
    const start = Math.max(addBuckets(bucketSize, end, -Number(lastN)) || 0, bucketStart(bucketSize, 0));
    return { start, end, bucketSize };
  }
  const until = endTime === null ? now : Date.parse(endTime);
  const from = startTime === null ? until - DEFAULT_RANGE_MS : Date.parse(startTime);
  if (from >= until) throw badRequest('startTime must be before endTime');
  if (until > MAX_TIME) throw badRequest('endTime is too far away');
  return { start: bucketStart(bucketSize, from), end: ceilTo(bucketSize, until), bucketSize };
}

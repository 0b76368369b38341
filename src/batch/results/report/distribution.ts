import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/durations.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';

/** The number of values between two bounds: `from` is included, `to` is not, except in the last bin. */
interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** A summary of many values. All but the quantiles and the bins are exact. */
export interface DistributionSummary {
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  readonly bins: readonly Bin[];
}

/** Largest relative error of a quantile. */
export const QUANTILE_ERROR = 0.01;

/** The upper bound of a bucket, as a multiple of its lower bound. */
const GROWTH = (1 + QUANTILE_ERROR) / (1 - QUANTILE_ERROR);
const LOG_GROWTH = Math.log(GROWTH);

/**
 * Counts values in limited memory. Creates a distribution of values of at least 0. Values of at least 1 are counted in
 * buckets, each larger than the one before by the same factor, so that a quantile differs from the exact one by 1% at
 * most; smaller ones count as 0. A value of 30 years in milliseconds needs 1400 buckets.
 */
export function createDistribution() {
  const buckets = new Map<number, number>();
  let [count, sum, min, max] = [0, 0, Number.POSITIVE_INFINITY, 0];
  return {
    add: (value: number): void => {
      if (!(value >= 0) || !Number.isFinite(value)) return;
      const bucket = value < 1 ? -1 : Math.ceil(Math.log(value) / LOG_GROWTH);
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
      count += 1;
      sum += value;
      min = Math.min(min, value);
      max = Math.max(max, value);
    },
    /** Returns undefined while there is no value. */
    summary: (): DistributionSummary | undefined => {
      if (count === 0) return undefined;
      const sorted = [...buckets].sort(([a], [b]) => a - b);
      const points = sorted.map(([bucket, number]) => ({
        value: Math.min(max, Math.max(min, middleOf(bucket))),
        count: number,
      }));
      const quantile = (fraction: number): number => quantileOf(points, Math.max(1, Math.ceil(fraction * count)));
      const [p50, p95, p99] = [quantile(0.5), quantile(0.95), quantile(0.99)];
      return { count, mean: sum / count, min, p50, p95, p99, max, bins: binsOf(points, min, max) };
    },
  };
}

interface Point {
  readonly value: number;
  readonly count: number;
}

/** The value with the same relative distance to both bounds of a bucket. */
const middleOf = (bucket: number): number => (bucket < 0 ? 0 : (2 * GROWTH ** bucket) / (GROWTH + 1));

function quantileOf(points: readonly Point[], rank: number): number {
  let below = 0;
  for (const { value, count } of points) {
    below += count;
    if (below >= rank) return value;
  }
  return points.at(-1)?.value ?? 0;
}

/** Approximate number of bins of a histogram, and the maximum on a logarithmic scale. */
const BINS = 12;
const MAX_BINS = 16;
/** Values that differ by more than this factor are shown on a logarithmic scale. */
const LOGARITHMIC_FROM = 30;

function binsOf(points: readonly Point[], min: number, max: number): readonly Bin[] {
  const edges = max > LOGARITHMIC_FROM * Math.max(1, min) ? logarithmicEdges(min, max) : linearEdges(min, max);
  const counts = new Array<number>(edges.length - 1).fill(0);
  for (const { value, count } of points) {
    const above = edges.findIndex((edge) => edge > value);
    const at = above < 0 ? counts.length - 1 : Math.max(0, above - 1);
    counts[at] = (counts[at] ?? 0) + count;
  }
  return counts.map((count, at) => ({ from: edges[at] ?? 0, to: edges[at + 1] ?? 0, count }));
}

/** Round durations, each about twice the one before. */
const ROUND_DURATIONS: readonly Milliseconds[] = [
  ...[0, 1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 30].map((seconds) => seconds * 1000),
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 5, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 30, 365, 10_000, 1e12].map((days) => days * DAY_MS),
];

/** Returns round durations that enclose all values, and only some of them when there are many. */
function logarithmicEdges(min: number, max: number): readonly number[] {
  const first = ROUND_DURATIONS.findLastIndex((edge) => edge <= min);
  const last = ROUND_DURATIONS.findIndex((edge) => edge > max);
  const edges = ROUND_DURATIONS.slice(Math.max(0, first), last < 0 ? undefined : last + 1);
  const every = Math.ceil(edges.length / MAX_BINS);
  return edges.filter((_, at) => at % every === 0 || at === edges.length - 1);
}

/** Returns multiples of a round step that enclose all values. */
function linearEdges(min: number, max: number): readonly number[] {
  const raw = Math.max((max - min) / BINS, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
  const start = Math.floor(min / step) * step;
  const count = Math.floor((max - start) / step) + 1;
  return Array.from({ length: count + 1 }, (_, at) => start + at * step);
}

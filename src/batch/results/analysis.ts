import type { InputPorts } from '../read/inputs.ts';
import type { BatchStatus, ResultLine } from '../model/batch.ts';
import { endingOrFailed, errorOf, errorPattern } from '../model/result-line.ts';
import { textOf } from '../read/items.ts';
import { readBatchResults, sumOf } from '../store/batch-results.ts';
import { widest } from '../store/replay.ts';
import { decodeJson, numberAt, stringAt } from '../../core/json.ts';
import { DAY_MS, HOUR_MS, type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import type { DollarRange } from '../../core/units.ts';

/** `from` is included, `to` is not, except in the last bin. Empty ones are left out. */
interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** All but the quantiles and the bins are exact. */
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

/** Relative. */
export const QUANTILE_ERROR = 0.01;

/** The upper bound of a bucket, as a multiple of its lower bound. */
const GROWTH = (1 + QUANTILE_ERROR) / (1 - QUANTILE_ERROR);
const LOG_GROWTH = Math.log(GROWTH);

/** Limited memory: buckets grow by a factor, for quantiles within 1%. Values below 1 count as 0. */
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

/** Approximate; the maximum on a logarithmic scale. */
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
  return counts
    .map((count, at) => ({ from: edges[at] ?? 0, to: edges[at + 1] ?? 0, count }))
    .filter(({ count }) => count > 0);
}

/** Each about twice the one before. */
const ROUND_DURATIONS: readonly Milliseconds[] = [
  ...[0, 1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 30].map((seconds) => seconds * 1000),
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 5, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 30, 365, 10_000, 1e12].map((days) => days * DAY_MS),
];

/** Only some of them when there are many. */
function logarithmicEdges(min: number, max: number): readonly number[] {
  const first = ROUND_DURATIONS.findLastIndex((edge) => edge <= min);
  const last = ROUND_DURATIONS.findIndex((edge) => edge > max);
  const edges = ROUND_DURATIONS.slice(Math.max(0, first), last < 0 ? undefined : last + 1);
  const every = Math.ceil(edges.length / MAX_BINS);
  return edges.filter((_, at) => at % every === 0 || at === edges.length - 1);
}

function linearEdges(min: number, max: number): readonly number[] {
  // Labels have three digits.
  const raw = Math.max((max - min) / BINS, max / 100, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
  const start = Math.floor(min / step) * step;
  const count = Math.floor((max - start) / step) + 1;
  return Array.from({ length: count + 1 }, (_, at) => start + at * step);
}

interface FailureExample {
  readonly item?: number;
  readonly job?: string | undefined;
  readonly error: string;
}

/** Same error except for numbers, ids, paths and addresses, and the same end state. */
interface FailureGroup {
  readonly pattern: string;
  readonly state: string;
  readonly count: number;
  readonly examples: readonly FailureExample[];
}

interface FailureSummary {
  /** The most frequent first. */
  readonly groups: readonly FailureGroup[];
  /** Items in groups that are not in `groups`. */
  readonly others: number;
}

/** The first ones that occur are counted. */
const MAX_GROUPS = 1000;
const MAX_DESCRIBED = 50;
const MAX_EXAMPLES = 3;

/** In limited memory. */
export function createFailureGroups() {
  const groups = new Map<string, { state: string; pattern: string; count: number; examples: FailureExample[] }>();
  let others = 0;
  return {
    add: (state: string, example: FailureExample): void => {
      const pattern = errorPattern(example.error);
      const key = `${state} ${pattern}`;
      const group = groups.get(key) ?? { state, pattern, count: 0, examples: [] };
      if (groups.size < MAX_GROUPS) groups.set(key, group);
      if (!groups.has(key)) others += 1;
      group.count += 1;
      const isNew = group.examples.every(({ error }) => error !== example.error);
      if (group.examples.length < MAX_EXAMPLES && isNew) group.examples.push(example);
    },
    summary: (): FailureSummary => {
      const sorted = [...groups.values()].sort((a, b) => b.count - a.count);
      const rest = sorted.slice(MAX_DESCRIBED).reduce((sum, { count }) => sum + count, others);
      return { groups: sorted.slice(0, MAX_DESCRIBED), others: rest };
    },
  };
}

/** Times are milliseconds as the service reports them. */
export interface BatchAnalysis extends BatchStatus {
  /** From the start of the batch to its last result; undefined when no end time is known. */
  readonly wallMs: Milliseconds | undefined;
  readonly perSecond: number | undefined;
  /** Without idle and starting workers; undefined when no price is known. */
  readonly cost: DollarRange | undefined;
  /** From the submission of a job to its start. */
  readonly delay: DistributionSummary | undefined;
  readonly execution: DistributionSummary | undefined;
  readonly failures: FailureSummary;
}

/** The batch may still run. Changes nothing. Fails as `readBatchResults` and `sumOf` do. */
export async function analyzeBatch(ports: InputPorts, results: readonly string[]): Promise<BatchAnalysis> {
  const [delay, execution, failures] = [createDistribution(), createDistribution(), createFailureGroups()];
  const parts: Awaited<ReturnType<typeof readBatchResults>>[] = [];
  let executionMs: Milliseconds | undefined;
  const add = ({ item, bytes }: ResultLine): void => {
    const result = decodeJson(textOf(bytes));
    const [delayMs, ranMs] = [numberAt(result, 'delayTime'), numberAt(result, 'executionTime')];
    if (delayMs !== undefined) delay.add(delayMs);
    if (ranMs !== undefined && ranMs >= 0) {
      execution.add(ranMs);
      executionMs = (executionMs ?? 0) + ranMs;
    }
    const state = endingOrFailed(result);
    if (state !== 'completed') failures.add(state, { item, job: stringAt(result, 'job'), error: errorOf(result) });
  };
  for (const name of results) {
    const part = await readBatchResults(ports, name);
    for await (const group of part.lines('as-stored')) for (const line of group) add(line);
    parts.push(part);
  }
  const status = sumOf(parts);
  const { counts, begunAt, lastEndedAt } = status;
  const prices = parts.flatMap(({ journal }) => journal.workerPrice ?? []);
  const workerPrice = prices.reduce<DollarRange | undefined>(widest, undefined);
  const ended = counts.planned - counts.waiting - counts.inFlight - counts.unknown;
  // The wall clock may have been set back since the start.
  const wallMs = lastEndedAt === undefined ? undefined : Math.max(0, lastEndedAt - begunAt);
  return {
    ...status,
    wallMs,
    perSecond: wallMs === undefined || wallMs === 0 ? undefined : (ended / wallMs) * 1000,
    cost: workerPrice && executionMs !== undefined ? executionCost(workerPrice, executionMs) : undefined,
    delay: delay.summary(),
    execution: execution.summary(),
    failures: failures.summary(),
  };
}

/** Further digits are rounding errors. */
const SIGNIFICANT_DIGITS = 12;

/** Milliseconds, at a price per hour. */
export function executionCost(perHour: DollarRange, milliseconds: number): DollarRange {
  const cost = (dollars: number): number =>
    Number(((dollars * milliseconds) / HOUR_MS).toPrecision(SIGNIFICANT_DIGITS));
  return { low: cost(perHour.low), high: cost(perHour.high) };
}

import type { InputPorts } from '../read/inputs.ts';
import {
  type BatchHistory,
  type BatchStatus,
  createTimeline,
  type ResultLine,
  type TimelineSummary,
} from '../model/batch.ts';
import type { ItemState } from '../model/item-states.ts';
import { endingOrFailed, errorOf, errorPattern } from '../model/result-line.ts';
import { textOf } from '../read/items.ts';
import { readBatchResults } from '../store/batch-results.ts';
import { widest } from '../store/replay.ts';
import { type Part, sumOf } from './shards.ts';
import { decodeJson, type Json, numberAt, parsePlainJson, stringAt } from '../../core/json.ts';
import { DAY_MS, type EpochMs, HOUR_MS, type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import type { DollarRange } from '../../core/units.ts';

/** `from` is included, `to` is not, except in the last bin. */
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
  return counts.map((count, at) => ({ from: edges[at] ?? 0, to: edges[at + 1] ?? 0, count }));
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
  const raw = Math.max((max - min) / BINS, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
  const start = Math.floor(min / step) * step;
  const count = Math.floor((max - start) / step) + 1;
  return Array.from({ length: count + 1 }, (_, at) => start + at * step);
}

interface FailureExample {
  readonly item: number;
  readonly job: string | undefined;
  readonly error: string;
}

/** Same error except for numbers, ids, paths and addresses, and the same end state. */
interface FailureGroup<State, Example> {
  readonly pattern: string;
  readonly state: State;
  readonly count: number;
  readonly examples: readonly Example[];
}

interface FailureSummary<State = ItemState, Example = FailureExample> {
  /** The most frequent first. */
  readonly groups: readonly FailureGroup<State, Example>[];
  /** Items in groups that are not in `groups`. */
  readonly others: number;
}

/** The first ones that occur are counted. */
const MAX_GROUPS = 1000;
const MAX_DESCRIBED = 50;
const MAX_EXAMPLES = 3;

/** In limited memory. */
export function createFailureGroups<
  State extends string = ItemState,
  Example extends Pick<FailureExample, 'error'> = FailureExample,
>() {
  const groups = new Map<string, { state: State; pattern: string; count: number; examples: Example[] }>();
  let others = 0;
  return {
    add: (state: State, example: Example): void => {
      const pattern = errorPattern(example.error);
      const key = `${state} ${pattern}`;
      let group = groups.get(key);
      if (group === undefined && groups.size < MAX_GROUPS)
        groups.set(key, (group = { state, pattern, count: 0, examples: [] }));
      if (group === undefined) {
        others += 1;
        return;
      }
      group.count += 1;
      const isNew = group.examples.every(({ error }) => error !== example.error);
      if (group.examples.length < MAX_EXAMPLES && isNew) group.examples.push(example);
    },
    summary: (): FailureSummary<State, Example> => {
      const sorted = [...groups.values()].sort((a, b) => b.count - a.count);
      const rest = sorted.slice(MAX_DESCRIBED).reduce((sum, { count }) => sum + count, others);
      return { groups: sorted.slice(0, MAX_DESCRIBED), others: rest };
    },
  };
}

export interface BatchAnalysis extends BatchStatus, ResultsAnalysis, Pick<BatchHistory, 'retried'> {
  readonly lastEndedAt: EpochMs | undefined;
  /** From the start of the batch to its last result; undefined when no end time is known. */
  readonly wallMs: Milliseconds | undefined;
  readonly perSecond: number | undefined;
  readonly timeline: TimelineSummary | undefined;
  /** Without idle and starting workers; undefined when no price is known. */
  readonly cost: DollarRange | undefined;
}

/** The batch may still run. Changes nothing. Fails as `readBatchResults` and `sumOf` do. */
export async function analyzeBatch(ports: InputPorts, results: readonly string[]): Promise<BatchAnalysis> {
  const [parts, tally, timeline] = [[] as Part[], createResultsTally(), createTimeline()];
  let retried = 0;
  let workerPrice: DollarRange | undefined;
  for (const name of results) {
    const { lines, history, ...part } = await readBatchResults(ports, name);
    for await (const group of lines('as-stored')) tally.add(group);
    parts.push(part);
    timeline.addAll(history.timeline);
    retried += history.retried;
    if (history.workerPrice !== undefined) workerPrice = widest(workerPrice, history.workerPrice);
  }
  const [status, analysis] = [sumOf(parts), tally.summary()];
  const { counts, begunAt } = status;
  const lastEndedAt = timeline.last();
  const ended = counts.planned - counts.waiting - counts.inFlight - counts.unknown;
  // The wall clock may have been set back since the start.
  const wallMs = lastEndedAt === undefined ? undefined : Math.max(0, lastEndedAt - begunAt);
  return {
    ...status,
    ...analysis,
    retried,
    wallMs,
    lastEndedAt,
    perSecond: wallMs === undefined || wallMs === 0 ? undefined : (ended / wallMs) * 1000,
    timeline: timeline.summary(),
    cost:
      workerPrice && analysis.executionMs !== undefined ? executionCost(workerPrice, analysis.executionMs) : undefined,
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

/** Milliseconds as the service reports them. */
interface ResultsAnalysis {
  /** From the submission of a job to its start. */
  readonly delay: DistributionSummary | undefined;
  readonly execution: DistributionSummary | undefined;
  /** Of all jobs; undefined when none reports one. */
  readonly executionMs: Milliseconds | undefined;
  readonly failures: FailureSummary;
}

/** Results are not kept in memory. */
function createResultsTally() {
  const [delay, execution, failures] = [createDistribution(), createDistribution(), createFailureGroups()];
  let executionMs: Milliseconds | undefined;
  const add = (item: number, result: Json): void => {
    const [delayMs, ranMs] = [numberAt(result, 'delayTime'), numberAt(result, 'executionTime')];
    if (delayMs !== undefined) delay.add(delayMs);
    if (ranMs !== undefined && ranMs >= 0) {
      execution.add(ranMs);
      executionMs = (executionMs ?? 0) + ranMs;
    }
    const state = endingOrFailed(result);
    if (state !== 'completed') failures.add(state, { item, job: stringAt(result, 'job'), error: errorOf(result) });
  };
  return {
    add: (lines: Iterable<ResultLine>): void => {
      for (const { item, bytes } of lines) add(item, parseResult(bytes));
    },
    summary: (): ResultsAnalysis => ({
      delay: delay.summary(),
      execution: execution.summary(),
      executionMs,
      failures: failures.summary(),
    }),
  };
}

/** The numbers need not be exact here. */
function parseResult(bytes: Uint8Array): Json {
  const text = textOf(bytes);
  try {
    return parsePlainJson(text);
  } catch {
    // Nested too deeply for the parser of the engine.
    return decodeJson(text);
  }
}

import type { ItemCounts, Resubmittable } from './item-states.ts';
import type { RunLimits } from './run-end.ts';
import type { Shard } from './shard.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import type { DollarRange } from '../../core/units.ts';
import type { JobOptions } from '../../queue/submission.ts';

export interface BatchTarget {
  readonly endpoint: string;
  readonly endpointId: string;
  /** The queue API's address at the start of the batch, or `LOCAL_SERVICE`. */
  readonly service: string;
}

/** Kept from run to run; undefined ones have defaults. */
export type BatchSettings = Readonly<
  Partial<Record<keyof RunLimits, number | undefined>> & Partial<Omit<JobOptions, 'webhook'>>
>;

export interface Resubmit {
  readonly states: readonly Resubmittable[];
  /** Only those whose error contains this text; an unknown item has none. */
  readonly onlyError?: string | undefined;
}

export interface BatchSummary extends Omit<BatchTarget, 'endpointId'> {
  /** The path of its results file. */
  readonly name: string;
  readonly invalid: number;
  readonly input: string;
  readonly counts: ItemCounts;
  readonly resubmitted: number;
  /** Items whose submission may or may not have been accepted. */
  readonly unknownItems: readonly number[];
  /** True when all items have ended and the results are not sorted yet. */
  readonly unordered: boolean;
  readonly resumable: boolean;
}

export interface BatchStatus extends BatchSummary {
  readonly state: 'running' | 'ended' | 'stopped';
  readonly holder: { readonly pid: number; readonly host: string } | undefined;
  readonly begunAt: EpochMs;
  readonly shard: Shard | undefined;
  /** Of a sum of several. */
  readonly shards?: readonly BatchStatus[];
  readonly missingShards?: readonly number[];
}

export interface ResultLine {
  readonly item: number;
  readonly bytes: Uint8Array;
}

export interface BatchHistory {
  readonly retried: number;
  readonly timeline: Timeline;
  /** Of all known prices per hour. */
  readonly workerPrice: DollarRange | undefined;
}

export interface TimelineSummary {
  readonly bucketMs: Milliseconds;
  readonly buckets: readonly { readonly at: EpochMs; readonly completed: number; readonly notCompleted: number }[];
}

const FIRST_SPAN_MS = 1000;
const MAX_BUCKETS = 120;

/** Wider buckets replace too many narrow ones, so memory is limited. */
export function createTimeline() {
  let counts = new Map<EpochMs, readonly [completed: number, notCompleted: number]>();
  let bucketMs = FIRST_SPAN_MS;
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const startOf = (at: EpochMs): EpochMs => Math.floor(at / bucketMs) * bucketMs;
  const put = (at: EpochMs, completed: number, notCompleted: number): void => {
    [first, last] = [Math.min(first, at), Math.max(last, at)];
    while ((last - first) / bucketMs >= MAX_BUCKETS) {
      bucketMs *= bucketMs === FIRST_SPAN_MS ? 5 : 2;
      const before = counts;
      counts = new Map();
      for (const [start, counted] of before) put(start, ...counted);
    }
    const [done, other] = counts.get(startOf(at)) ?? [0, 0];
    counts.set(startOf(at), [done + completed, other + notCompleted]);
  };
  const lastAt = (): EpochMs | undefined => (counts.size === 0 ? undefined : last);
  const summary = (): TimelineSummary | undefined => {
    if (counts.size === 0) return undefined;
    const from = startOf(first);
    const buckets = Array.from({ length: Math.floor((last - from) / bucketMs) + 1 }, (_, index) => {
      const at = from + index * bucketMs;
      const [completed, notCompleted] = counts.get(at) ?? [0, 0];
      return { at, completed, notCompleted };
    });
    return { bucketMs, buckets };
  };
  return {
    add: (at: EpochMs, isCompleted: boolean): void => {
      put(at, isCompleted ? 1 : 0, isCompleted ? 0 : 1);
    },
    addAll: (other: { readonly last: typeof lastAt; readonly summary: typeof summary }): void => {
      for (const { at, completed, notCompleted } of other.summary()?.buckets ?? []) put(at, completed, notCompleted);
      last = Math.max(last, other.last() ?? last);
    },
    last: lastAt,
    summary,
  };
}

export type Timeline = ReturnType<typeof createTimeline>;

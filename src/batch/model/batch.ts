import type { ItemCounts, Resubmittable } from './item-states.ts';
import type { KnownJob } from './run-end.ts';
import type { Bytes, EpochMs } from '../../core/unit-types.ts';
import type { DollarRange } from '../../core/units.ts';

export interface BatchTarget {
  readonly endpoint: string;
  readonly endpointId: string;
  /** The queue API's address at the start of the batch, or `LOCAL_SERVICE`. */
  readonly service: string;
}

export interface BatchFile {
  readonly address: string;
  readonly bytes: Bytes;
}

/** Jobs that the service did not have, and may have now. Fails as the requests do. */
export type FindJobs = (jobs: readonly Pick<KnownJob, 'item' | 'job'>[]) => Promise<ReadonlySet<number>>;

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
}

export interface ResultLine {
  readonly item: number;
  readonly bytes: Uint8Array;
}

export interface BatchHistory {
  readonly retried: number;
  readonly timeline: Timeline;
  readonly lastEndedAt: EpochMs | undefined;
  /** Of all known prices per hour. */
  readonly workerPrice: DollarRange | undefined;
}

interface TimelineBucket {
  readonly at: EpochMs;
  readonly completed: number;
  readonly notCompleted: number;
}

export interface TimelineSummary {
  readonly bucketMs: number;
  readonly buckets: readonly TimelineBucket[];
}

/** Milliseconds, ascending. Longer spans are multiples of the last. */
const SPANS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400].map((seconds) => seconds * 1000);
const MAX_BUCKETS = 120;

/** Longer spans replace too many short ones, so memory is limited. */
export function createTimeline() {
  let counts = new Map<number, { completed: number; notCompleted: number }>();
  let span = 0;
  const bucketMs = (): number => SPANS[span] ?? 86_400_000 * 2 ** (span - SPANS.length + 1);
  const addTo = (at: EpochMs, completed: number, notCompleted: number): void => {
    const start = Math.floor(at / bucketMs()) * bucketMs();
    const found = counts.get(start) ?? { completed: 0, notCompleted: 0 };
    counts.set(start, { completed: found.completed + completed, notCompleted: found.notCompleted + notCompleted });
  };
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const widen = (): void => {
    while ((last - first) / bucketMs() >= MAX_BUCKETS) {
      span += 1;
      const before = counts;
      counts = new Map();
      for (const [at, { completed, notCompleted }] of before) addTo(at, completed, notCompleted);
    }
  };
  return {
    add: (at: EpochMs, completed: number, notCompleted: number): void => {
      if (!Number.isFinite(at)) return;
      [first, last] = [Math.min(first, at), Math.max(last, at)];
      widen();
      addTo(at, completed, notCompleted);
    },
    last: (): number | undefined => (counts.size === 0 ? undefined : last),
    summary: (): TimelineSummary | undefined => {
      const starts = [...counts.keys()].sort((a, b) => a - b);
      const [from, to] = [starts[0], starts.at(-1)];
      if (from === undefined || to === undefined) return undefined;
      const length = Math.round((to - from) / bucketMs()) + 1;
      const buckets = Array.from({ length }, (_, index) => {
        const at = from + index * bucketMs();
        return { at, ...(counts.get(at) ?? { completed: 0, notCompleted: 0 }) };
      });
      return { bucketMs: bucketMs(), buckets };
    },
  };
}

export type Timeline = ReturnType<typeof createTimeline>;

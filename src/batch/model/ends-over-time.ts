import type { EpochMs } from '../../core/unit-types.ts';

/** How many items ended in a span of time that begins at `at`. */
interface TimelineBucket {
  readonly at: EpochMs;
  readonly completed: number;
  readonly notCompleted: number;
}

export interface TimelineSummary {
  readonly bucketMs: number;
  readonly buckets: readonly TimelineBucket[];
}

/** Spans of time in milliseconds, from the shortest on. Longer ones are multiples of the last. */
const SPANS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400].map((seconds) => seconds * 1000);
const MAX_BUCKETS = 120;

/**
 * Counts the items that end in each span of time. When there are too many spans, longer spans replace them, so memory
 * is limited.
 */
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
    /** The latest time that was added; undefined while nothing has ended. */
    last: (): number | undefined => (counts.size === 0 ? undefined : last),
    /** Returns undefined while nothing has ended. */
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

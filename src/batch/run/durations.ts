/** The durations of the latest jobs, in milliseconds. */
export interface Durations {
  add(milliseconds: number): void;
  /**
   * The duration within which this fraction (0 to 1) of the jobs ended that took longer than `beyondMs`; undefined when no job
   * took longer.
   */
  endOf(fraction: number, beyondMs?: number): number | undefined;
}

/** How many jobs are looked at: few, so that it adapts when the jobs change. */
const LATEST = 128;

export function createDurations(): Durations {
  const latest: number[] = [];
  const sorted: number[] = [];
  let oldest = 0;
  /** The number of durations that are not longer. */
  const rankOf = (milliseconds: number): number => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] ?? 0) <= milliseconds) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    add: (milliseconds) => {
      const replaced = latest.length < LATEST ? undefined : latest[oldest];
      if (replaced !== undefined) sorted.splice(rankOf(replaced) - 1, 1);
      latest[oldest] = milliseconds;
      oldest = (oldest + 1) % LATEST;
      sorted.splice(rankOf(milliseconds), 0, milliseconds);
    },
    endOf: (fraction, beyondMs = -1) => {
      const first = rankOf(beyondMs);
      return sorted[first + Math.floor((sorted.length - first) * fraction)];
    },
  };
}

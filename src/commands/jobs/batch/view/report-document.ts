import { MINUTE_MS } from '../../../../core/durations.ts';
import { QUANTILE_ERROR, type BatchAnalysis, type DistributionSummary } from '../../../../batch/index.ts';
import type { JsonObject } from '../../../../core/json.ts';
import { summaryOf } from './summary-view.ts';
import { formatDuration } from '../../../../core/units.ts';

/** What the title of every page begins with: a page may replace an earlier one. */
export const PAGE_TITLE = 'Batch report: ';

/** Returns the report of a batch as `--json` prints it. The table and the page show these numbers. */
export function reportDocument(analysis: BatchAnalysis): JsonObject {
  const { wallMs, perSecond, cost, timeline, delay, execution, executionMs, failures, lastEndedAt } = analysis;
  return {
    ...summaryOf(analysis),
    state: analysis.state,
    retried: analysis.retried,
    begun: dateOf(analysis.begunAt),
    lastEnded: lastEndedAt === undefined ? null : dateOf(lastEndedAt),
    wallSeconds: wallMs === undefined ? null : wallMs / 1000,
    itemsPerSecond: perSecond ?? null,
    executionSeconds: executionMs === undefined ? null : executionMs / 1000,
    executionCostUsd: cost === undefined ? null : { ...cost },
    quantileError: QUANTILE_ERROR,
    executionMs: distributionOf(execution),
    delayMs: distributionOf(delay),
    timeline:
      timeline === undefined
        ? null
        : {
            bucketSeconds: timeline.bucketMs / 1000,
            buckets: timeline.buckets.map((bucket) => ({ ...bucket, at: dateOf(bucket.at) })),
          },
    failures: failures.groups.map(({ pattern, state, count, examples }) => ({
      pattern,
      state,
      count,
      examples: examples.map(({ item, job, error }) => ({ item, ...(job === undefined ? {} : { job }), error })),
    })),
    otherFailures: failures.others,
  };
}

const dateOf = (at: number): string => new Date(at).toISOString();

/** Returns null while no job reported a time. */
const distributionOf = (summary: DistributionSummary | undefined): JsonObject | null =>
  summary === undefined ? null : { ...timesOf(summary), bins: summary.bins.map((bin) => ({ ...bin })) };

/** The same without its bins. */
export function timesOf(summary: DistributionSummary | undefined): JsonObject | null {
  if (summary === undefined) return null;
  const { bins: _, ...times } = summary;
  return times;
}

/** `1s to 2s` for each bin. Where short texts would repeat, they are exact seconds. */
export function binLabels({ bins }: DistributionSummary): readonly string[] {
  const bounds = [...bins.slice(0, 1).map(({ from }) => from), ...bins.map(({ to }) => to)];
  const short = bounds.map(formatTime);
  const texts = new Set(short).size === short.length ? short : bounds.map((milliseconds) => `${milliseconds / 1000}s`);
  return bins.map((_, at) => `${texts[at] ?? ''} to ${texts[at + 1] ?? ''}`);
}

/** `p50 1.2s, p95 3s, p99 8s, max 20s`. */
export const quantilesOf = (times: DistributionSummary): string =>
  (['p50', 'p95', 'p99', 'max'] as const).map((name) => `${name} ${formatTime(times[name])}`).join(', ');

type Example = BatchAnalysis['failures']['groups'][number]['examples'][number];

/** `item 3, job abc: out of memory`. */
export const exampleLine = ({ item, job, error }: Example): string =>
  `item ${item}${job === undefined ? '' : `, job ${job}`}: ${error}`;

/** Formats milliseconds with three significant digits at most: `0s`, `12ms`, `1.25s`, `3m 20s`. */
export function formatTime(milliseconds: number): string {
  const rounded = milliseconds === 0 ? 0 : Number(milliseconds.toPrecision(3));
  if (rounded < 1000 || rounded >= MINUTE_MS) return formatDuration(rounded);
  return `${rounded / 1000}s`;
}

import { QUANTILE_ERROR, type BatchAnalysis, type DistributionSummary } from '../../../../batch/index.ts';
import type { JsonObject } from '../../../../core/json.ts';
import { summaryOf } from './view.ts';

/** Returns the report of a batch as `--json` prints it. The table and the page show these numbers. */
export function reportDocument(analysis: BatchAnalysis): JsonObject {
  const { wallMs, perSecond, cost, timeline, delay, execution, executionMs, failures, lastEndedAt } = analysis;
  return summaryOf(analysis, {
    state: stateOfReport(analysis),
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
            buckets: timeline.buckets.map(({ at, completed, notCompleted }) => ({
              at: dateOf(at),
              completed,
              notCompleted,
            })),
          },
    failures: failures.groups.map(({ pattern, state, count, examples }) => ({
      pattern,
      state,
      count,
      examples: examples.map(({ item, job, error }) => ({ item, ...(job === undefined ? {} : { job }), error })),
    })),
    otherFailures: failures.others,
  });
}

/** A report tells no more of a cancelled batch than that it is stopped. */
export const stateOfReport = ({ state }: BatchAnalysis): string => (state === 'cancelled' ? 'stopped' : state);

const dateOf = (at: number): string => new Date(at).toISOString();

/** Returns null while no job reported a time. */
const distributionOf = (summary: DistributionSummary | undefined): JsonObject | null =>
  summary === undefined ? null : { ...timesOf(summary), bins: summary.bins.map((bin) => ({ ...bin })) };

/** The same without its bins. */
export const timesOf = (summary: DistributionSummary | undefined): JsonObject | null =>
  summary === undefined
    ? null
    : {
        count: summary.count,
        mean: summary.mean,
        min: summary.min,
        p50: summary.p50,
        p95: summary.p95,
        p99: summary.p99,
        max: summary.max,
      };

import type { BatchAnalysis, DistributionSummary } from '../../batch/index.ts';
import { batchView, formatRate, shardMembers, summaryOf } from './summary-view.ts';
import type { JsonObject } from '../../core/json.ts';
import { MINUTE_MS } from '../../core/unit-types.ts';
import { formatDuration } from '../../core/units.ts';
import type { Section, View } from '../../output/view.ts';

/** Recognizes an earlier page, which may be replaced. */
export const PAGE_BEGINNING = '<!doctype html>\n<!-- batch report of berth -->\n';

/** The table and the page show these numbers. */
export function reportDocument(analysis: BatchAnalysis): JsonObject {
  const { wallMs, perSecond, cost, delay, execution, failures, lastEndedAt } = analysis;
  return {
    ...summaryOf(analysis),
    state: analysis.state,
    begun: dateOf(analysis.begunAt),
    lastEnded: lastEndedAt === undefined ? null : dateOf(lastEndedAt),
    wallSeconds: wallMs === undefined ? null : wallMs / 1000,
    itemsPerSecond: perSecond ?? null,
    executionCostUsd: cost === undefined ? null : { ...cost },
    executionMs: distributionOf(execution),
    delayMs: distributionOf(delay),
    failures: failures.groups.map(({ pattern, state, count, examples }) => ({
      pattern,
      state,
      count,
      examples: examples.map(({ item, job, error }) => ({ item, ...(job === undefined ? {} : { job }), error })),
    })),
    otherFailures: failures.others,
    ...shardMembers(analysis),
  };
}

const dateOf = (at: number): string => new Date(at).toISOString();

/** Null while no job reported a time. */
const distributionOf = (summary: DistributionSummary | undefined): JsonObject | null =>
  summary === undefined ? null : { ...summary, bins: summary.bins.map((bin) => ({ ...bin })) };

export const binLabels = ({ bins }: DistributionSummary): readonly string[] =>
  bins.map(({ from, to }) => `${formatTime(from)} to ${formatTime(to)}`);

export const quantilesOf = (times: DistributionSummary): string =>
  (['p50', 'p95', 'p99', 'max'] as const).map((name) => `${name} ${formatTime(times[name])}`).join(', ');

type Example = BatchAnalysis['failures']['groups'][number]['examples'][number];

export const exampleLine = ({ item, job, error }: Example): string =>
  `item ${String(item)}${job === undefined ? '' : `, job ${job}`}: ${error}`;

/** At most three significant digits: `12ms`, `1.25s`, `3m 20s`. */
export function formatTime(milliseconds: number): string {
  const rounded = milliseconds === 0 ? 0 : Number(milliseconds.toPrecision(3));
  if (rounded < 1000 || rounded >= MINUTE_MS) return formatDuration(rounded);
  return `${rounded / 1000}s`;
}

const BAR_BLOCKS = 24;
/** `--json` and the page have more. */
const MAX_GROUPS = 10;

export const reportView = (analysis: BatchAnalysis): View => ({
  ...batchView,
  detail: (report, facts) => {
    const [about, counts] = batchView.detail?.(report, facts) ?? [];
    return [
      { lines: [...(about?.lines ?? []), ...rateLine(analysis)] },
      { title: 'Items', lines: counts?.lines ?? [] },
      { title: 'Execution time', lines: timeLines(analysis.execution) },
      { title: 'Delay before the start', lines: timeLines(analysis.delay) },
      { title: 'Failures', lines: failureLines(analysis) },
    ];
  },
});

const rateLine = ({ perSecond }: BatchAnalysis): Section['lines'] =>
  perSecond === undefined ? [] : [{ label: 'throughput', value: formatRate(perSecond) }];

function timeLines(times: DistributionSummary | undefined): Section['lines'] {
  if (times === undefined) return [];
  const labels = binLabels(times);
  const most = Math.max(1, ...times.bins.map(({ count }) => count));
  return [
    { label: 'of all', value: quantilesOf(times) },
    ...times.bins.map(({ count }, at) => ({
      label: labels[at] ?? '',
      value: { percent: (count / most) * 100, text: String(count), blocks: BAR_BLOCKS },
    })),
  ];
}

function failureLines({ failures }: BatchAnalysis): Section['lines'] {
  const { groups } = failures;
  const others = groups.slice(MAX_GROUPS).reduce((sum, { count }) => sum + count, failures.others);
  return [
    ...groups.slice(0, MAX_GROUPS).map(({ pattern, count, examples }) => ({
      label: String(count),
      value: [
        { text: pattern, tone: 'bad' as const },
        ...examples.slice(0, 1).map((example) => ({ text: `such as ${exampleLine(example)}`, tone: 'quiet' as const })),
      ],
    })),
    ...(others > 0 ? [{ label: String(others), value: 'with other errors: see --json' }] : []),
  ];
}

import type { BatchAnalysis, DistributionSummary } from '../../../../batch/index.ts';
import type { Section, View } from '../../../../output/view.ts';
import { batchView, formatRate } from './summary-view.ts';
import { binLabels, exampleLine, quantilesOf } from './report-document.ts';

/** Characters of a full bar of a histogram. */
const BAR_BLOCKS = 24;
/** Groups of failures that the table shows; `--json` and the page have more. */
const MAX_GROUPS = 10;

/** The report of a batch on a terminal: counts, times with their histograms, and failures by pattern. */
export const reportView = (analysis: BatchAnalysis): View => ({
  ...batchView,
  detail: (report, facts) => {
    const [about, counts] = batchView.detail?.(report, facts) ?? [];
    return [
      { lines: [...(about?.lines ?? []), ...rateLines(analysis)] },
      { title: 'Items', lines: counts?.lines ?? [] },
      { title: 'Execution time', lines: timeLines(analysis.execution) },
      { title: 'Delay before the start', lines: timeLines(analysis.delay) },
      { title: 'Failures', lines: failureLines(analysis) },
    ];
  },
});

const rateLines = ({ perSecond, retried }: BatchAnalysis): Section['lines'] => [
  ...(perSecond === undefined ? [] : [{ label: 'throughput', value: formatRate(perSecond) }]),
  ...(retried === 0 ? [] : [{ label: 'run again', value: String(retried) }]),
];

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

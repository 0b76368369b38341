import { memberAt, numberOf, type Json } from '../../../../core/json.ts';
import { text } from '../../../../output/cells/cell-functions.ts';
import type { Section, View } from '../../../../output/view.ts';
import { batchView } from './view.ts';
import { binsOf, boundsOf, failuresOf, formatRate, quantilesOf } from './report-members.ts';

/** Characters of a full bar of a histogram. */
const BAR_BLOCKS = 24;
/** Groups of failures that the table shows; `--json` and the page have more. */
const MAX_GROUPS = 10;

/** The report of a batch on a terminal: counts, times with their histograms, and failures by pattern. */
export const reportView: View = {
  ...batchView,
  detail: (report, facts) => {
    const [about, counts] = batchView.detail?.(report, facts) ?? [];
    return [
      { lines: [...(about?.lines ?? []), ...rateLines(report)] },
      { title: 'Items', lines: counts?.lines ?? [] },
      { title: 'Execution time', lines: timeLines(report, 'executionMs') },
      { title: 'Delay before the start', lines: timeLines(report, 'delayMs') },
      { title: 'Failures', lines: failureLines(report) },
    ];
  },
};

function rateLines(report: Json): Section['lines'] {
  const rate = numberOf(memberAt(report, 'itemsPerSecond'));
  const retried = numberOf(memberAt(report, 'retried')) ?? 0;
  return [
    ...(rate === undefined ? [] : [{ label: 'throughput', value: formatRate(rate) }]),
    ...(retried === 0 ? [] : [{ label: 'run again', value: String(retried) }]),
  ];
}

function timeLines(report: Json, path: string): Section['lines'] {
  const times = quantilesOf(report, path);
  if (times === undefined) return [];
  const bins = binsOf(report, path);
  const bounds = boundsOf(bins);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  return [
    { label: 'of all', value: times },
    ...bins.map(({ count }, at) => ({
      label: `${bounds[at] ?? ''} to ${bounds[at + 1] ?? ''}`,
      value: { percent: (count / most) * 100, text: String(count), blocks: BAR_BLOCKS },
    })),
  ];
}

function failureLines(report: Json): Section['lines'] {
  const groups = failuresOf(report);
  const shown = groups.slice(0, MAX_GROUPS);
  const others =
    groups.slice(MAX_GROUPS).reduce((sum, { count }) => sum + count, 0) + Number(text('otherFailures')(report));
  return [
    ...shown.map(({ pattern, count, examples }) => ({
      label: String(count),
      value: [
        { text: pattern, tone: 'bad' as const },
        ...examples.slice(0, 1).map((example) => ({ text: example, tone: 'quiet' as const })),
      ],
    })),
    ...(others > 0 ? [{ label: String(others), value: 'with other errors: see --json' }] : []),
  ];
}

/** Times, rates and failures of a report as text, for the terminal and for the page. */
import type { BatchAnalysis, DistributionSummary } from '../../../../batch/index.ts';
import { formatDuration } from '../../../../core/units.ts';

/** The bounds of bins as text, one more than there are bins. Where short texts would repeat, they are exact seconds. */
export function boundsOf({ bins }: DistributionSummary): readonly string[] {
  const bounds = [...bins.slice(0, 1).map(({ from }) => from), ...bins.map(({ to }) => to)];
  const short = bounds.map(formatTime);
  if (new Set(short).size === short.length) return short;
  return bounds.map((milliseconds) => `${String(milliseconds / 1000)}s`);
}

/** `p50 1.2s, p95 3s, p99 8s, max 20s`. */
export const quantilesOf = (times: DistributionSummary): string =>
  (['p50', 'p95', 'p99', 'max'] as const).map((name) => `${name} ${formatTime(times[name])}`).join(', ');

type Example = BatchAnalysis['failures']['groups'][number]['examples'][number];

/** `item 3, job abc: out of memory`. */
export const exampleLine = ({ item, job, error }: Example): string =>
  `item ${String(item)}${job === undefined ? '' : `, job ${job}`}: ${error}`;

/** Formats milliseconds with three significant digits at most: `0s`, `12ms`, `1.25s`, `3m 20s`. */
export function formatTime(milliseconds: number): string {
  const rounded = milliseconds === 0 ? 0 : Number(milliseconds.toPrecision(3));
  if (rounded < 1000 || rounded >= 60_000) return formatDuration(rounded);
  return `${String(rounded / 1000)}s`;
}

/** Formats a rate: `12.5/s`, `3.2/min`, `0.5/h`. */
export function formatRate(perSecond: number): string {
  const [rate, unit] =
    perSecond >= 1 ? [perSecond, 's'] : perSecond >= 1 / 60 ? [perSecond * 60, 'min'] : [perSecond * 3600, 'h'];
  return `${rate.toFixed(rate < 100 ? 1 : 0)}/${unit}`;
}

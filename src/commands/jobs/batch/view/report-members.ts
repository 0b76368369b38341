/** Reads the members of a report document, for the table and for the page. */
import { arrayOf, memberAt, numberOf, stringOf, type Json } from '../../../../core/json.ts';
import { formatDuration } from '../../../../core/units.ts';

/** A bin of a histogram, in milliseconds. */
interface BinMember {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

export const binsOf = (report: Json, path: string): readonly BinMember[] =>
  (arrayOf(memberAt(report, `${path}.bins`)) ?? []).map((bin) => ({
    from: numberOf(memberAt(bin, 'from')) ?? 0,
    to: numberOf(memberAt(bin, 'to')) ?? 0,
    count: numberOf(memberAt(bin, 'count')) ?? 0,
  }));

/** The bounds of bins as text, one more than there are bins. Where short texts would repeat, they are exact seconds. */
export function boundsOf(bins: readonly BinMember[]): readonly string[] {
  const bounds = [...bins.slice(0, 1).map(({ from }) => from), ...bins.map(({ to }) => to)];
  const short = bounds.map(formatTime);
  if (new Set(short).size === short.length) return short;
  return bounds.map((milliseconds) => `${String(milliseconds / 1000)}s`);
}

const QUANTILES = ['p50', 'p95', 'p99', 'max'] as const;

/** `p50 1.2s, p95 3s, p99 8s, max 20s`; undefined when no job reported a time. */
export function quantilesOf(report: Json, path: string): string | undefined {
  const times = QUANTILES.flatMap((name) => {
    const value = numberOf(memberAt(report, `${path}.${name}`));
    return value === undefined ? [] : [`${name} ${formatTime(value)}`];
  });
  return times.length === 0 ? undefined : times.join(', ');
}

/** A group of failures. */
interface FailureMember {
  readonly pattern: string;
  readonly state: string;
  readonly count: number;
  readonly examples: readonly string[];
}

/** Each example is one line: `item 3, job abc: out of memory`. */
export const failuresOf = (report: Json, path = 'failures'): readonly FailureMember[] =>
  (arrayOf(memberAt(report, path)) ?? []).map((group) => ({
    pattern: stringOf(memberAt(group, 'pattern')) ?? '',
    state: stringOf(memberAt(group, 'state')) ?? '',
    count: numberOf(memberAt(group, 'count')) ?? 0,
    examples: (arrayOf(memberAt(group, 'examples')) ?? []).map((example) => {
      const job = stringOf(memberAt(example, 'job'));
      const where = `item ${String(numberOf(memberAt(example, 'item')))}${job === undefined ? '' : `, job ${job}`}`;
      return `${where}: ${stringOf(memberAt(example, 'error')) ?? ''}`;
    }),
  }));

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

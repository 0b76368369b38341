import { type Json, numberAt } from '../../core/json.ts';
import { safeText, type SafeText } from '../../core/safe-text.ts';
import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';

export interface Sample {
  readonly row: Json;
  /** On the monotonic clock. */
  readonly at: Milliseconds;
}

export const valuesOf = (samples: readonly Sample[], path: string): readonly (number | undefined)[] =>
  samples.map(({ row }) => numberAt(row, path));

/** Of the last minute. Undefined for fewer than two samples, and where the counter is missing or decreased. */
export function latestPerMinute(samples: readonly Sample[], path: string): number | undefined {
  const last = samples.at(-1);
  const recent = samples.filter(({ at }) => (last?.at ?? 0) - at <= MINUTE_MS);
  const [first] = recent.length < 2 ? samples.slice(-2) : recent;
  if (first === undefined || last === undefined || last.at <= first.at) return undefined;
  const [before, now] = [numberAt(first.row, path), numberAt(last.row, path)];
  return before === undefined || now === undefined || now < before
    ? undefined
    : ((now - before) * MINUTE_MS) / (last.at - first.at);
}

export const formatRate = (rate: number): string => String(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate));

const LEVELS = '▁▂▃▄▅▆▇█';

/** The last value at the right, always `columns` wide. Zero is the lowest block, an unknown value a space. */
export function sparkline(
  values: readonly (number | undefined)[],
  columns: number,
  most = Math.max(1, ...known(values)),
): SafeText {
  const shown = columns <= 0 ? [] : values.slice(-columns);
  return safeText(
    shown
      .map((value) => blockOf(value, most))
      .join('')
      .padStart(columns),
  );
}

const known = (values: readonly (number | undefined)[]): readonly number[] =>
  values.filter((value) => value !== undefined).filter((value) => Number.isFinite(value));

function blockOf(value: number | undefined, most: number): string {
  if (value === undefined || !Number.isFinite(value)) return ' ';
  const share = most > 0 ? Math.min(1, Math.max(0, value / most)) : 0;
  // Every value above zero differs from zero.
  return LEVELS[share === 0 ? 0 : Math.max(1, Math.round(share * (LEVELS.length - 1)))] ?? ' ';
}

import { safeText, type SafeText } from '../../core/safe-text.ts';

const LEVELS = '▁▂▃▄▅▆▇█';

/**
 * Renders values over time as one row of blocks, the last value at the right: `  ▁▃█`. A value of zero or less has the
 * lowest block, one of `most` or more the full block; an unknown one is a space. It is always `columns` wide.
 */
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

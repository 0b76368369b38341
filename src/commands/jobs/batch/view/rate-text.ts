import { HOUR_SECONDS } from '../../../../core/durations.ts';

/** Formats a rate: `12.5/s`, `3.2/min`, `0.5/h`. */
export function formatRate(perSecond: number): string {
  const [rate, unit] =
    perSecond >= 1 ? [perSecond, 's'] : perSecond >= 1 / 60 ? [perSecond * 60, 'min'] : [perSecond * HOUR_SECONDS, 'h'];
  return `${rate.toFixed(rate < 100 ? 1 : 0)}/${unit}`;
}

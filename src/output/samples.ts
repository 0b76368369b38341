import { numberAt } from '../core/json.ts';
import { MINUTE_MS } from '../core/unit-types.ts';
import type { Sample } from './view.ts';

export const valuesOf = (samples: readonly Sample[], path: string): readonly (number | undefined)[] =>
  samples.map(({ row }) => numberAt(row, path));

/** Undefined for the first sample and if the counter is missing or decreased. */
export function perMinute(samples: readonly Sample[], path: string): readonly (number | undefined)[] {
  const values = valuesOf(samples, path);
  return samples.map(({ at }, index) => {
    const [before, now] = [values[index - 1], values[index]];
    const spanMs = at - (samples[index - 1]?.at ?? at);
    return before === undefined || now === undefined || now < before || spanMs <= 0
      ? undefined
      : ((now - before) * MINUTE_MS) / spanMs;
  });
}

const WINDOW_MS = MINUTE_MS;

/** Undefined for fewer than two samples. */
export function latestPerMinute(samples: readonly Sample[], path: string): number | undefined {
  const recent = samples.filter(({ at }) => (samples.at(-1)?.at ?? 0) - at <= WINDOW_MS);
  const used = recent.length < 2 ? samples.slice(-2) : recent;
  return used.length < 2 ? undefined : perMinute([...used.slice(0, 1), ...used.slice(-1)], path).at(-1);
}

export const formatRate = (rate: number): string => String(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate));

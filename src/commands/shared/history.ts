import { MINUTE_MS } from '../../core/durations.ts';
import { numberAt } from '../../core/json.ts';
import type { Sample } from '../../output/view.ts';

/** The number at a path in each sample; undefined where there is none. */
export const valuesOf = (samples: readonly Sample[], path: string): readonly (number | undefined)[] =>
  samples.map(({ row }) => numberAt(row, path));

/**
 * How much a counter grew between each sample and the one before, as a rate a minute. Undefined for the first sample, and
 * where the counter is missing or went back.
 */
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

/** The growth of a counter over the last minute of samples, as a rate a minute; undefined with less than two samples. */
export function latestPerMinute(samples: readonly Sample[], path: string): number | undefined {
  const recent = samples.filter(({ at }) => (samples.at(-1)?.at ?? 0) - at <= WINDOW_MS);
  const used = recent.length < 2 ? samples.slice(-2) : recent;
  return used.length < 2 ? undefined : perMinute([...used.slice(0, 1), ...used.slice(-1)], path).at(-1);
}

/** A rate for people: `0`, `0.4`, `12`. */
export const formatRate = (rate: number): string => String(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate));

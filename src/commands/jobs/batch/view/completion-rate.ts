export interface CompletionRate {
  /** Items a second; undefined while no item has ended. */
  readonly perSecond: number | undefined;
  /** It has changed little for a while, so that the remaining time can be estimated from it. */
  readonly steady: boolean;
}

/** The number of ended items at a time in milliseconds. */
interface Sample {
  readonly at: number;
  readonly ended: number;
}

/** The rate is measured over this time, or over this number of items when they took longer. */
const WINDOW_MS = 30_000;
const WINDOW_ITEMS = 20;
/**
 * The rate is steady after this time and this number of items, when the rates of both halves of the window differ by less
 * than the first factor. A steady rate becomes unsteady only at the second factor, so that the display does not flicker.
 */
const MIN_STEADY_MS = 2000;
const MIN_STEADY_ITEMS = 6;
const STEADY_FACTOR = 1.6;
const UNSTEADY_FACTOR = 3;
/** Samples that are kept, evenly spaced over the window. */
const MAX_SAMPLES = 120;

/** Returns a function that is called with the number of ended items from time to time. The first sample is the baseline. */
export function createRateMeter(): (at: number, ended: number) => CompletionRate {
  let samples: readonly Sample[] = [];
  let steady = false;
  return (at, ended) => {
    const last = samples.at(-1);
    // The time before the first end does not count: workers may be starting.
    if (samples.length === 1 && last?.ended === ended) samples = [];
    samples = trimToWindow([...samples, { at, ended }]);
    const rate = rateOf(samples, steady ? UNSTEADY_FACTOR : STEADY_FACTOR);
    steady = rate.steady;
    return rate;
  };
}

/** Drops samples before the window; when two are too close together, the later one is kept. */
function trimToWindow(samples: readonly Sample[]): readonly Sample[] {
  const now = samples.at(-1);
  if (now === undefined) return samples;
  const first = samples.findLastIndex(({ at, ended }) => now.at - at >= WINDOW_MS && now.ended - ended >= WINDOW_ITEMS);
  const within = samples.slice(Math.max(0, first));
  const spacing = (now.at - (within[0]?.at ?? now.at)) / MAX_SAMPLES;
  const kept: Sample[] = [];
  for (const sample of within) {
    const [before, last] = [kept.at(-2), kept.at(-1)];
    if (before !== undefined && last !== undefined && sample.at - before.at < spacing) kept.pop();
    kept.push(sample);
  }
  return kept;
}

function rateOf(samples: readonly Sample[], maxFactor: number): CompletionRate {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.at <= first.at || last.ended <= first.ended)
    return { perSecond: undefined, steady: false };
  const perSecond = rateBetween(first, last);
  const middle = samples.findLast(({ at }) => at <= (first.at + last.at) / 2) ?? first;
  const [before, after] = [rateBetween(first, middle), rateBetween(middle, last)];
  const similar = Math.max(before, after) <= maxFactor * Math.min(before, after);
  const enough = last.at - first.at >= MIN_STEADY_MS && last.ended - first.ended >= MIN_STEADY_ITEMS;
  return { perSecond, steady: enough && similar };
}

const rateBetween = (from: Sample, to: Sample): number =>
  to.at <= from.at ? 0 : ((to.ended - from.ended) / (to.at - from.at)) * 1000;

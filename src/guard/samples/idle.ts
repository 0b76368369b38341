import { formatDuration } from '../../core/units.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import type { Sample } from './tracks.ts';
import type { UseSample } from './use-samples.ts';

/** When a pod counts as idle. Percentages: use below each of them, in all samples. */
export interface IdleLimits {
  readonly forMs: Milliseconds;
  readonly gpu: number;
  readonly cpu: number;
  /** Not looked at where undefined. */
  readonly memory: number | undefined;
}

/** What a condition says of a pod: it is met, it is not, or that cannot be known. `why` has no final stop. */
export interface Finding {
  readonly state: 'met' | 'not-met' | 'unknown';
  readonly why: string;
}

/** A sample counts for the time since the one before, where that is at most this part of the whole time. */
const LONGEST_GAP = 1 / 10;

/** At least this part of the time must be known. */
const LEAST_KNOWN = 0.8;

/** The longest time between two sweeps with which a time can be covered. */
export const longestInterval = (windowMs: Milliseconds): Milliseconds => windowMs * LONGEST_GAP;

/** What is looked for in samples of one pod or endpoint. Times are the service's. */
export interface QuietTime<S extends Sample> {
  /** The oldest first. */
  readonly samples: readonly S[];
  /** When it was started or created. */
  readonly since: EpochMs;
  readonly forMs: Milliseconds;
  /** What the samples are about, in sentences: `its use`. */
  readonly what: string;
  /** What a sample shows of its use, in words; undefined for nothing. */
  readonly useIn: (sample: S) => string | undefined;
}

/**
 * Whether something was not used for all of the last `forMs`. A sample that shows use decides; without one, samples must
 * cover 80 % of the time and its end.
 */
export function findQuiet<S extends Sample>(
  { samples, since, forMs, what, useIn }: QuietTime<S>,
  now: EpochMs,
): Finding {
  const from = now - forMs;
  if (since > from) return { state: 'not-met', why: `started ${formatDuration(Math.max(0, now - since))} ago` };
  const within = samples.filter(({ at }) => at > from && at <= now);
  const busy = within.findLast((sample) => useIn(sample) !== undefined);
  if (busy !== undefined)
    return { state: 'not-met', why: `${useIn(busy) ?? 'used'} ${formatDuration(now - busy.at)} ago` };
  const known = knownPart(within, from, forMs);
  // A sweep that saw no numbers has no sample.
  if (within.at(-1)?.at !== now) return { state: 'unknown', why: `${what} now is not known` };
  if (known < LEAST_KNOWN) {
    const percent = Math.floor(known * 100);
    return { state: 'unknown', why: `${what} is known for ${percent}% of the last ${formatDuration(forMs)}` };
  }
  return { state: 'met', why: `idle for ${formatDuration(forMs)}` };
}

/** Whether a pod that was started then was idle for all of the time of its limits. */
export const findIdle = (samples: readonly UseSample[], since: number, limits: IdleLimits, now: EpochMs): Finding =>
  findQuiet({ samples, since, forMs: limits.forMs, what: 'its use', useIn: (each) => overLimit(each, limits) }, now);

/** The part of a time, from `from`, that samples count for. */
function knownPart(samples: readonly Sample[], from: number, windowMs: Milliseconds): number {
  const ends = [from, ...samples.map(({ at }) => at)];
  const gaps = samples.map(({ at }, index) => at - (ends[index] ?? from));
  const knownMs = gaps.reduce((sum, gap) => sum + (gap <= longestInterval(windowMs) ? gap : 0), 0);
  return knownMs / windowMs;
}

/** `GPU 43%`: what is not below its limit. */
function overLimit({ gpu, cpu, memory }: UseSample, limits: IdleLimits): string | undefined {
  if (gpu !== undefined && gpu >= limits.gpu) return `GPU ${gpu}%`;
  if (cpu >= limits.cpu) return `CPU ${cpu}%`;
  return limits.memory !== undefined && memory >= limits.memory ? `memory ${memory}%` : undefined;
}

import { formatDuration } from '../core/units.ts';
import type { UseSample } from './samples.ts';

/** When a pod counts as idle. Percentages: use below each of them, in all samples. */
export interface IdleLimits {
  /** Milliseconds. */
  readonly forMs: number;
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

/** The longest time between two sweeps with which a time can be covered, in milliseconds. */
export const longestInterval = (windowMs: number): number => windowMs * LONGEST_GAP;

/**
 * Whether a pod was idle for all of the last `forMs`. `startedAt` and `now` are the service's time in milliseconds. A
 * sample that shows use decides; without one, samples must cover 80 % of the time and its end.
 */
export function findIdle(samples: readonly UseSample[], startedAt: number, limits: IdleLimits, now: number): Finding {
  const from = now - limits.forMs;
  if (startedAt > from) return { state: 'not-met', why: `started ${formatDuration(Math.max(0, now - startedAt))} ago` };
  const within = samples.filter(({ at }) => at > from && at <= now);
  const busy = within.findLast((sample) => overLimit(sample, limits) !== undefined);
  if (busy !== undefined)
    return { state: 'not-met', why: `${overLimit(busy, limits) ?? 'used'} ${formatDuration(now - busy.at)} ago` };
  const known = knownPart(within, from, limits.forMs);
  if (now - (within.at(-1)?.at ?? from) > longestInterval(limits.forMs))
    return { state: 'unknown', why: 'its use now is not known' };
  if (known < LEAST_KNOWN) {
    const percent = Math.floor(known * 100);
    return { state: 'unknown', why: `its use is known for ${percent}% of the last ${formatDuration(limits.forMs)}` };
  }
  return { state: 'met', why: `idle for ${formatDuration(limits.forMs)}` };
}

/** The part of a time, from `from`, that samples count for. */
function knownPart(samples: readonly UseSample[], from: number, windowMs: number): number {
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

import { formatDuration } from '../core/units.ts';
import type { UseSample } from './samples.ts';

/** When a pod counts as idle. Percentages: use below each of them, in all samples. */
export interface IdleLimits {
  /** Milliseconds. */
  readonly forMs: number;
  readonly gpu: number;
  readonly cpu: number;
  readonly memory: number;
}

/** What a condition says of a pod: it is met, it is not, or that cannot be known. `why` has no final stop. */
export interface Finding {
  readonly state: 'met' | 'not-met' | 'unknown';
  readonly why: string;
}

/** The window is looked at in so many parts of one length. */
const PARTS = 10;

/** At least so many parts have a sample, and the last one has. */
const LEAST_PARTS = 8;

/** The longest time between two sweeps with which a window can be covered, in milliseconds. */
export const longestInterval = (windowMs: number): number => windowMs / PARTS;

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
  const parts = new Set(within.map(({ at }) => Math.min(PARTS - 1, Math.floor(((at - from) / limits.forMs) * PARTS))));
  if (!parts.has(PARTS - 1)) return { state: 'unknown', why: 'its use now is not known' };
  if (parts.size < LEAST_PARTS)
    return {
      state: 'unknown',
      why: `its use is known for ${parts.size * PARTS}% of the last ${formatDuration(limits.forMs)}`,
    };
  return { state: 'met', why: `idle for ${formatDuration(limits.forMs)}` };
}

/** `GPU 43%`: what is not below its limit. */
function overLimit({ gpu, cpu, memory }: UseSample, limits: IdleLimits): string | undefined {
  if (gpu !== undefined && gpu >= limits.gpu) return `GPU ${gpu}%`;
  if (cpu >= limits.cpu) return `CPU ${cpu}%`;
  return memory >= limits.memory ? `memory ${memory}%` : undefined;
}

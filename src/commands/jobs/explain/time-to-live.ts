import type { RememberedJob } from '../../../core/ports/remembered.ts';
import { formatDuration } from '../../../core/units.ts';
import type { EpochMs, Milliseconds } from '../../../core/unit-types.ts';
import { DEFAULT_TTL_MS } from '../../../queue/limits.ts';

/** How long a job may be in the queue and at work together (contract rules, Queue API). */
export interface TimeToLive {
  readonly ms: Milliseconds;
  /** True when its submission gave it, and false for the default of the service. */
  readonly isOwn: boolean;
  /** Until the service deletes the job; below zero when that is over. */
  readonly leftMs: Milliseconds;
}

/** The time to live of a job that this machine submitted. `now` is by the clock of the service. */
export function timeToLiveOf({ at, ttlMs }: RememberedJob, now: EpochMs): TimeToLive {
  const ms = ttlMs ?? DEFAULT_TTL_MS;
  return { ms, isOwn: ttlMs !== undefined, leftMs: at + ms - now };
}

/** What is left in whole seconds, as text. */
export const leftText = ({ leftMs }: TimeToLive): string =>
  leftMs < 1000 ? '0s' : formatDuration(Math.floor(leftMs / 1000) * 1000);

/** The clock of the service is known to the second, and a submission is dated when it is answered. */
const CLOCK_ERROR_MS: Milliseconds = 2000;

export const isOver = ({ leftMs }: TimeToLive): boolean => leftMs <= CLOCK_ERROR_MS;

/** True in the last fifth. */
export const isEnding = ({ leftMs, ms }: TimeToLive): boolean => leftMs < ms / 5;

import type { EndpointQueue, TimerEvent, Queues, Timer } from '../state/records.ts';

/** Sets a timer for `at`, in milliseconds since the epoch. */
export function setTimer(queues: Queues, at: number, event: TimerEvent): void {
  queues.timers.push({ at, order: queues.timersSet++, event });
}

/**
 * Makes sure that the number of an endpoint's workers is checked at `at` at the latest. Only the earliest of these
 * times is kept: that check sets the time of the next one.
 */
export function scheduleScaling(queues: Queues, queue: EndpointQueue, endpointId: string, at: number): void {
  if (queue.scaleAt !== undefined && queue.scaleAt <= at) return;
  queue.scaleAt = at;
  setTimer(queues, at, { kind: 'scale', endpointId });
}

/** Returns the earliest timer without removing it. */
export const firstTimer = (queues: Queues): Timer | undefined => queues.timers.first();

/** Removes the earliest timer and returns it. */
export const takeTimer = (queues: Queues): Timer | undefined => queues.timers.take();

/** Removes the timers that no longer apply, after many were set. */
export function sweepTimers(queues: Queues, isLive: (timer: Timer) => boolean): void {
  if (queues.timersSet < queues.sweepAt) return;
  queues.timers.retain(isLive);
  queues.sweepAt = queues.timersSet + Math.max(1024, queues.timers.length);
}

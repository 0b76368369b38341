import type { EndpointQueue, TimerEvent, Queues, Timer } from '../state/records.ts';

/** Sets a timer for `at`, in milliseconds since the epoch. */
export function setTimer(queues: Queues, at: number, event: TimerEvent): void {
  const heap = queues.timers;
  heap.push({ at, order: queues.timersSet++, event });
  let child = heap.length - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (!swapIfEarlier(heap, child, parent)) return;
    child = parent;
  }
}

/**
 * Lets the number of an endpoint's workers be looked at, at `at` at the latest. Only the earliest of such times is kept: who
 * looks then sets the next one.
 */
export function scheduleScaling(queues: Queues, queue: EndpointQueue, endpointId: string, at: number): void {
  if (queue.scaleAt !== undefined && queue.scaleAt <= at) return;
  queue.scaleAt = at;
  setTimer(queues, at, { kind: 'scale', endpointId });
}

/** Returns the earliest timer without removing it. */
export const firstTimer = (queues: Queues): Timer | undefined => queues.timers[0];

/** Removes the earliest timer and returns it. */
export function takeTimer(queues: Queues): Timer | undefined {
  const heap = queues.timers;
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  heap[0] = last;
  let parent = 0;
  for (;;) {
    const left = 2 * parent + 1;
    const right = left + 1;
    const child = right < heap.length && isEarlier(heap[right], heap[left]) ? right : left;
    if (child >= heap.length || !swapIfEarlier(heap, child, parent)) return first;
    parent = child;
  }
}

/** Removes the timers that no longer apply, after many were set. A sorted array is a valid heap. */
export function sweepTimers(queues: Queues, isLive: (timer: Timer) => boolean): void {
  if (queues.timersSet < queues.sweepAt) return;
  queues.timers = queues.timers.filter(isLive).sort((a, b) => a.at - b.at || a.order - b.order);
  queues.sweepAt = queues.timersSet + Math.max(1024, queues.timers.length);
}

function swapIfEarlier(heap: Timer[], child: number, parent: number): boolean {
  const [low, high] = [heap[child], heap[parent]];
  if (low === undefined || high === undefined || !isEarlier(low, high)) return false;
  heap[child] = high;
  heap[parent] = low;
  return true;
}

function isEarlier(a: Timer | undefined, b: Timer | undefined): boolean {
  if (a === undefined || b === undefined) return a !== undefined;
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

import type { Happening, QueueState, Timer } from '../state/records.ts';

/** Sets a timer: `what` is due at `at`, milliseconds since the epoch. */
export function setTimer(queue: QueueState, at: number, what: Happening): void {
  const heap = queue.timers;
  heap.push({ at, order: queue.timersSet++, what });
  let child = heap.length - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (!swapIfEarlier(heap, child, parent)) return;
    child = parent;
  }
}

/** The earliest timer, left where it is. */
export const firstTimer = (queue: QueueState): Timer | undefined => queue.timers[0];

/** Takes the earliest timer off. */
export function takeTimer(queue: QueueState): Timer | undefined {
  const heap = queue.timers;
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

/** Now and then, forgets the timers that nothing waits for any more. A sorted array is a heap. */
export function sweepTimers(queue: QueueState, isLive: (timer: Timer) => boolean): void {
  if (queue.timersSet < queue.sweepAt) return;
  queue.timers = queue.timers.filter(isLive).sort((a, b) => a.at - b.at || a.order - b.order);
  queue.sweepAt = queue.timersSet + Math.max(1024, queue.timers.length);
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

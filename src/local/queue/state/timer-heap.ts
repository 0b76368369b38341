/** What a timer triggers, when it still applies at that time. */
export type TimerEvent =
  | { readonly kind: 'worker-ready'; readonly endpointId: string; readonly workerId: string }
  /** A job may have waited, or a worker may have been idle, long enough to change the number of workers. */
  | { readonly kind: 'scale'; readonly endpointId: string }
  /** A worker may have been silent for too long. */
  | { readonly kind: 'worker-silent'; readonly endpointId: string; readonly workerId: string }
  /** A worker may not have let go of a job that it was to stop. */
  | { readonly kind: 'worker-stop'; readonly endpointId: string; readonly workerId: string; readonly jobId: string }
  /** An injected fault kills a worker. */
  | { readonly kind: 'worker-killed'; readonly endpointId: string; readonly workerId: string }
  | { readonly kind: 'job-end'; readonly jobId: string; readonly attempt: number }
  | { readonly kind: 'job-expiry'; readonly jobId: string };

export interface Timer {
  readonly at: number;
  /** The order of timers with the same time: the one set first fires first. */
  readonly order: number;
  readonly event: TimerEvent;
}

/** Timers, of which the earliest is found at once. Of timers with the same time the one set first is the earlier one. */
export interface TimerHeap {
  readonly length: number;
  push(timer: Timer): void;
  /** The earliest timer; it stays. */
  first(): Timer | undefined;
  /** Removes the earliest timer and returns it. */
  take(): Timer | undefined;
  /** Removes all timers but those that are live. */
  retain(isLive: (timer: Timer) => boolean): void;
  /** Removes the timers of these orders. */
  remove(orders: ReadonlySet<number>): void;
  /** All timers, each after those that are earlier than all others. */
  all(): readonly Timer[];
  /** The changes since the last call. The first call begins to note them, and returns none. */
  changes(): TimerChanges;
  /** All timers, for `JSON.stringify`. */
  toJSON(): readonly Timer[];
}

export interface TimerChanges {
  readonly set: readonly Timer[];
  /** The orders of the timers that were removed. */
  readonly gone: readonly number[];
}

const NO_CHANGES: TimerChanges = { set: [], gone: [] };

/** A binary heap over these timers. */
export function createTimerHeap(timers: readonly Timer[] = []): TimerHeap {
  let heap: Timer[] = [];
  /** Absent until somebody asks for the changes. */
  let noted: { readonly set: Map<number, Timer>; readonly gone: number[] } | undefined;

  const noteRemoval = ({ order }: Timer): void => {
    if (noted !== undefined && !noted.set.delete(order)) noted.gone.push(order);
  };

  const push = (timer: Timer): void => {
    noted?.set.set(timer.order, timer);
    heap.push(timer);
    let child = heap.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!swapIfEarlier(heap, child, parent)) return;
      child = parent;
    }
  };

  const take = (): Timer | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return undefined;
    noteRemoval(first);
    if (heap.length === 0) return first;
    heap[0] = last;
    let parent = 0;
    for (;;) {
      const left = 2 * parent + 1;
      const right = left + 1;
      const child = right < heap.length && isEarlier(heap[right], heap[left]) ? right : left;
      if (child >= heap.length || !swapIfEarlier(heap, child, parent)) return first;
      parent = child;
    }
  };

  const retain = (isLive: (timer: Timer) => boolean): void => {
    const before = heap;
    heap = [];
    for (const timer of before)
      if (isLive(timer)) heap.push(timer);
      else noteRemoval(timer);
    // A sorted array is a valid heap.
    heap.sort((a, b) => a.at - b.at || a.order - b.order);
  };

  for (const timer of timers) push(timer);
  return {
    get length() {
      return heap.length;
    },
    push,
    first: () => heap[0],
    take,
    retain,
    remove: (orders) => {
      let left = orders.size;
      // Most of them are the earliest ones.
      for (let first = heap[0]; first !== undefined && orders.has(first.order); first = heap[0]) {
        take();
        left -= 1;
      }
      if (left > 0) retain(({ order }) => !orders.has(order));
    },
    all: () => heap,
    changes: () => {
      const { set, gone } = noted ?? { set: new Map<number, Timer>(), gone: [] };
      if (noted !== undefined && set.size === 0 && gone.length === 0) return NO_CHANGES;
      noted = { set: new Map(), gone: [] };
      return { set: [...set.values()], gone };
    },
    toJSON: () => heap,
  };
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

import type { EpochMs } from '../../core/unit-types.ts';

/** When to look at a job or at an endpoint's workers. It is live while `wakeAt` of the record names its time. */
export interface Timer {
  readonly at: EpochMs;
  /** Timers of one time fire in the order in which they were set. */
  readonly order: number;
  readonly jobId?: string;
  readonly endpointId?: string;
}

/** A binary heap; saved as its array. */
export class TimerHeap {
  #heap: Timer[];
  #order: number;
  #sweepAt = 1024;

  constructor(heap: Timer[] = []) {
    this.#heap = heap;
    this.#order = heap.reduce((most, { order }) => Math.max(most, order + 1), 0);
  }

  first(): Timer | undefined {
    return this.#heap[0];
  }

  push(timer: Omit<Timer, 'order'>): void {
    const heap = this.#heap;
    let child = heap.push({ ...timer, order: this.#order++ }) - 1;
    for (let parent = (child - 1) >> 1; child > 0 && swapIfEarlier(heap, child, parent); parent = (child - 1) >> 1)
      child = parent;
  }

  removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    let parent = 0;
    for (;;) {
      const left = 2 * parent + 1;
      const child = isEarlier(heap[left + 1], heap[left]) ? left + 1 : left;
      if (!swapIfEarlier(heap, child, parent)) return;
      parent = child;
    }
  }

  /** Removes dead timers when they may be the larger part. */
  sweep(isLive: (timer: Timer) => boolean): void {
    if (this.#heap.length < this.#sweepAt) return;
    // A sorted array is a valid heap.
    this.#heap = this.#heap.filter(isLive).sort((a, b) => a.at - b.at || a.order - b.order);
    this.#sweepAt = Math.max(1024, 2 * this.#heap.length);
  }

  toJSON(): readonly Timer[] {
    return this.#heap;
  }
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

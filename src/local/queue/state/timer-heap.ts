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

export class TimerHeap {
  #heap: Timer[];

  /** Those of another heap, in its order. */
  constructor(timers: Timer[] = []) {
    this.#heap = timers;
  }

  get length(): number {
    return this.#heap.length;
  }

  push(timer: Timer): void {
    this.#heap.push(timer);
    let child = this.#heap.length - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!swapIfEarlier(this.#heap, child, parent)) return;
      child = parent;
    }
  }

  first(): Timer | undefined {
    return this.#heap[0];
  }

  take(): Timer | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return undefined;
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
  }

  retain(isLive: (timer: Timer) => boolean): void {
    // A sorted array is a valid heap.
    this.#heap = this.#heap.filter(isLive).sort((a, b) => a.at - b.at || a.order - b.order);
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

import TinyQueue from 'tinyqueue';
import type { EpochMs } from '../../core/unit-types.ts';

/** When to look at a job or at an endpoint's workers. It is live while `wakeAt` of the record names its time. */
export interface Timer {
  readonly at: EpochMs;
  /** Timers of one time fire in the order in which they were set. */
  readonly order: number;
  readonly jobId?: string;
  readonly endpointId?: string;
}

/** Saved as its array. */
export class Timers {
  #queue: TinyQueue<Timer>;
  #order: number;
  #sweepAt = 1024;

  constructor(timers: Timer[] = []) {
    this.#queue = queueOf(timers);
    this.#order = timers.reduce((most, { order }) => Math.max(most, order + 1), 0);
  }

  push(timer: Omit<Timer, 'order'>): void {
    this.#queue.push({ ...timer, order: this.#order++ });
  }

  first(): Timer | undefined {
    return this.#queue.peek();
  }

  /** Removes the first one if it is due. */
  takeDue(now: EpochMs): Timer | undefined {
    return (this.first()?.at ?? Infinity) <= now ? this.#queue.pop() : undefined;
  }

  /** Removes dead timers when they may be the larger part. */
  sweep(isLive: (timer: Timer) => boolean): void {
    if (this.#queue.length < this.#sweepAt) return;
    this.#queue = queueOf(this.#queue.data.filter(isLive));
    this.#sweepAt = Math.max(1024, 2 * this.#queue.length);
  }

  toJSON(): readonly Timer[] {
    return this.#queue.data;
  }
}

const queueOf = (timers: Timer[]) => new TinyQueue(timers, (a, b) => a.at - b.at || a.order - b.order);

import type { Clock } from '../core/context.ts';
import { asError } from '../core/failure.ts';

export interface WatchedExchange {
  readonly timedOut: boolean;
  /** Removes the deadline, for an answer that may take any time. The interrupt still aborts the exchange. */
  liftDeadline(): void;
  /** Stops watching. Every exchange is ended. */
  end(): void;
}

export interface ExchangeWatch {
  start(exchange: Abortable, deadlineMs: number): WatchedExchange;
}

interface Abortable {
  abort(reason: Error): void;
}

/** A deadline is counted in this many timer ticks. */
const TICKS = 4;

/** Exchanges share a timer, because one for each costs too much: a deadline may come up to a quarter later. */
export function createExchangeWatch(clock: Pick<Clock, 'deadline'>, interrupt: AbortSignal): ExchangeWatch {
  const groups = new Map<number, Group>();
  interrupt.addEventListener('abort', () => {
    for (const group of groups.values()) group.abortAll(asError(interrupt.reason));
  });
  const groupOf = (deadlineMs: number): Group => {
    const group = groups.get(deadlineMs) ?? new Group(clock, deadlineMs);
    groups.set(deadlineMs, group);
    return group;
  };
  return {
    start: (exchange, deadlineMs) => {
      const entry = new Entry(exchange, groupOf(deadlineMs), () => groupOf(Number.POSITIVE_INFINITY));
      if (interrupt.aborted) exchange.abort(asError(interrupt.reason));
      return entry;
    },
  };
}

class Entry implements WatchedExchange {
  timedOut = false;
  index = 0;
  startTick = 0;
  readonly exchange: Abortable;
  readonly #unlimited: () => Group;
  #group: Group;

  constructor(exchange: Abortable, group: Group, unlimited: () => Group) {
    this.exchange = exchange;
    this.#group = group;
    this.#unlimited = unlimited;
    group.add(this);
  }

  liftDeadline(): void {
    this.#group.remove(this);
    this.#group = this.#unlimited();
    this.#group.add(this);
  }

  end(): void {
    this.#group.remove(this);
  }
}

class Group {
  readonly #entries: Entry[] = [];
  readonly #clock: Pick<Clock, 'deadline'>;
  readonly #deadlineMs: number;
  #timer: { cancel(): void } | undefined;
  #tick = 0;

  constructor(clock: Pick<Clock, 'deadline'>, deadlineMs: number) {
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
  }

  add(entry: Entry): void {
    // The part of a tick that is left when an entry joins a running timer does not count.
    entry.startTick = this.#timer === undefined ? this.#tick : this.#tick + 1;
    entry.index = this.#entries.push(entry) - 1;
    if (this.#timer === undefined && this.#deadlineMs !== Number.POSITIVE_INFINITY) this.#startTimer();
  }

  remove(entry: Entry): void {
    if (this.#entries[entry.index] !== entry) return;
    const last = this.#entries.pop();
    if (last !== undefined && last !== entry) {
      this.#entries[entry.index] = last;
      last.index = entry.index;
    }
    if (this.#entries.length > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  abortAll(reason: Error): void {
    for (const entry of [...this.#entries]) entry.exchange.abort(reason);
  }

  #startTimer(): void {
    const timer = this.#clock.deadline(this.#deadlineMs / TICKS);
    this.#timer = timer;
    timer.signal.addEventListener(
      'abort',
      () => {
        this.#onTick();
      },
      { once: true },
    );
  }

  #onTick(): void {
    this.#tick += 1;
    this.#startTimer();
    for (const entry of this.#entries.filter(({ startTick }) => this.#tick - startTick >= TICKS)) {
      if (entry.timedOut) continue;
      entry.timedOut = true;
      entry.exchange.abort(new Error('no complete answer within the deadline'));
    }
  }
}

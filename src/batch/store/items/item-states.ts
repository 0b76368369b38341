import { next, STATES, type ItemEvent, type ItemState } from './item-state-machine.ts';

/** How many items there are of each kind; `planned` is the sum of all others. */
export interface Accounting {
  readonly planned: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly timedOut: number;
  readonly expired: number;
  readonly unknown: number;
  readonly inFlight: number;
  readonly waiting: number;
}

/** The state of every item of a batch, one byte each, and how many there are of each state. */
export interface Ledger {
  stateOf(item: number): ItemState;
  /** Moves an item, counted from 1. False, and nothing has changed, where the event cannot happen to it. */
  apply(item: number, event: ItemEvent): boolean;
  count(state: ItemState): number;
  accounting(): Accounting;
  /** The items in a state, in order. */
  items(state: ItemState): IterableIterator<number>;
}

const CODES = Object.fromEntries(STATES.map((state, code) => [state, code])) as Readonly<Record<ItemState, number>>;

/**
 * A ledger of `planned` items, all waiting. `positions` is how many places they lie in: more than `planned` where some
 * places hold no item that can be sent.
 */
export function createLedger(planned: number, positions = planned): Ledger {
  const states = new Uint8Array(positions + 1).fill(CODES.waiting);
  const counts = new Float64Array(STATES.length);
  counts[CODES.waiting] = planned;
  const count = (state: ItemState): number => counts[CODES[state]] ?? 0;
  const stateOf = (item: number): ItemState => STATES[states[item] ?? CODES.waiting] ?? 'waiting';
  return {
    stateOf,
    apply: (item, event) => {
      if (!Number.isInteger(item) || item < 1 || item > positions) return false;
      const before = stateOf(item);
      const after = next(before, event);
      if (after === undefined || (before === 'waiting' && count('waiting') === 0)) return false;
      states[item] = CODES[after];
      counts[CODES[before]] = count(before) - 1;
      counts[CODES[after]] = count(after) + 1;
      return true;
    },
    count,
    accounting: () => ({
      planned,
      completed: count('completed'),
      failed: count('failed'),
      cancelled: count('cancelled'),
      timedOut: count('timedOut'),
      expired: count('expired'),
      unknown: count('unknown'),
      inFlight: count('sending') + count('submitted'),
      waiting: count('waiting'),
    }),
    *items(state) {
      for (let item = 1; item <= positions; item++) if (states[item] === CODES[state]) yield item;
    },
  };
}

/** What an accounting must add up to, whatever happened. */
export const addsUp = (sum: Accounting): boolean =>
  sum.planned ===
  sum.completed + sum.failed + sum.cancelled + sum.timedOut + sum.expired + sum.unknown + sum.inFlight + sum.waiting;

import { nextState, STATES, type ItemEvent, type ItemState } from './item-state-machine.ts';

/** Number of items by outcome. `planned` is the sum of all others. */
export interface ItemCounts {
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

/** The state of every item of a batch, in one byte each. Items are numbered from 1. */
export interface ItemStates {
  /** The largest item number. */
  readonly positions: number;
  stateOf(item: number): ItemState;
  /** Applies an event to an item. Returns false and changes nothing when the event is not possible. */
  apply(item: number, event: ItemEvent): boolean;
  count(state: ItemState): number;
  counts(): ItemCounts;
  /** Iterates over the items in a state, in ascending order. */
  items(state: ItemState): IterableIterator<number>;
}

const CODES = Object.fromEntries(STATES.map((state, code) => [state, code])) as Readonly<Record<ItemState, number>>;

/**
 * Creates the states of `planned` items, all waiting. `positions` is the largest item number: it exceeds `planned` when
 * some items of the input are invalid and never sent.
 */
export function createItemStates(planned: number, positions = planned): ItemStates {
  const states = new Uint8Array(positions + 1).fill(CODES.waiting);
  const counts = new Float64Array(STATES.length);
  counts[CODES.waiting] = planned;
  const count = (state: ItemState): number => counts[CODES[state]] ?? 0;
  const stateOf = (item: number): ItemState => STATES[states[item] ?? CODES.waiting] ?? 'waiting';
  return {
    positions,
    stateOf,
    apply: (item, event) => {
      if (!Number.isInteger(item) || item < 1 || item > positions) return false;
      const before = stateOf(item);
      const after = nextState(before, event);
      if (after === undefined || (before === 'waiting' && count('waiting') === 0)) return false;
      states[item] = CODES[after];
      counts[CODES[before]] = count(before) - 1;
      counts[CODES[after]] = count(after) + 1;
      return true;
    },
    count,
    counts: () => ({
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

/** Returns whether every planned item is counted exactly once. */
export const countsAddUp = (counts: ItemCounts): boolean =>
  counts.planned ===
  counts.completed +
    counts.failed +
    counts.cancelled +
    counts.timedOut +
    counts.expired +
    counts.unknown +
    counts.inFlight +
    counts.waiting;

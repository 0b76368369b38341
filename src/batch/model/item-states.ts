/**
 * States of an item. In `sending`, the intent to send is on disk and the request may have been sent. Items that were in
 * `sending` when their process ended become `unknown`: the service may have the job.
 */
export const STATES = [
  'waiting',
  'sending',
  'submitted',
  'completed',
  'failed',
  'cancelled',
  'timedOut',
  'expired',
  'unknown',
] as const;
export type ItemState = (typeof STATES)[number];

/** How a job can end. */
export const ENDINGS = ['completed', 'failed', 'cancelled', 'timedOut', 'expired'] as const;
export type Ending = (typeof ENDINGS)[number];

export type ItemEvent =
  /** The submission is about to be sent. */
  | { readonly kind: 'send' }
  /** The service certainly does not have it: it was not sent, or the service asked to send it again later. */
  | { readonly kind: 'withdraw' }
  /** The service accepted it as this job. */
  | { readonly kind: 'accept'; readonly job: string }
  /** The service rejected it; it will not be sent again automatically. */
  | { readonly kind: 'refuse' }
  /** It was sent and no readable answer came. */
  | { readonly kind: 'lose' }
  | { readonly kind: 'end'; readonly ending: Ending }
  /** The service runs the job again, with the same id. */
  | { readonly kind: 'retry'; readonly job: string }
  /** The service has the job after all. */
  | { readonly kind: 'find'; readonly job: string }
  /** The user decided to send it again, as a new job: it did not complete, or whether it was sent is unknown. */
  | { readonly kind: 'resubmit' };

/** States from which the user may send an item again, as a new job. */
const RESUBMITTABLE = ['failed', 'cancelled', 'timedOut', 'expired', 'unknown'] as const;
export type Resubmittable = (typeof RESUBMITTABLE)[number];

/** The event that ends an item: its job ended, or the service rejected its submission. */
export type EndEvent = ItemEvent & { readonly kind: 'end' | 'refuse' };

type Transitions = Readonly<Partial<Record<ItemState, ItemState>>>;

const TRANSITIONS: Readonly<Record<Exclude<ItemEvent['kind'], 'end'>, Transitions>> = {
  send: { waiting: 'sending' },
  withdraw: { sending: 'waiting' },
  accept: { sending: 'submitted' },
  refuse: { sending: 'failed' },
  lose: { sending: 'unknown' },
  retry: { submitted: 'submitted', failed: 'submitted', timedOut: 'submitted' },
  find: { expired: 'submitted' },
  resubmit: Object.fromEntries(RESUBMITTABLE.map((state) => [state, 'waiting'])),
};

/**
 * Returns whether an item in this state has a line in the results. It leaves such a state only when the user asks for
 * it.
 */
export const hasResult = (state: ItemState): boolean =>
  state !== 'waiting' && state !== 'sending' && state !== 'submitted' && state !== 'unknown';

/** Returns the state after an event, or undefined when the event is not possible in this state. */
export function nextState(state: ItemState, event: ItemEvent): ItemState | undefined {
  if (event.kind === 'end') return state === 'submitted' ? event.ending : undefined;
  return TRANSITIONS[event.kind][state];
}

/** What items are counted as; `inFlight` are those that are sent or submitted. */
const COUNTED = ['completed', 'failed', 'cancelled', 'timedOut', 'expired', 'unknown', 'inFlight', 'waiting'] as const;
type Counted = (typeof COUNTED)[number];

/** Number of items by outcome. `planned` is the sum of all others. */
export type ItemCounts = Readonly<Record<'planned' | Counted, number>>;

/** Number of items that still have to end: those that wait and those in flight, without unknown ones. */
export const itemsLeft = ({ waiting, inFlight }: Pick<ItemCounts, 'waiting' | 'inFlight'>): number =>
  waiting + inFlight;

/** Number of items that have ended and did not complete. */
export const notCompleted = ({ failed, cancelled, timedOut, expired }: ItemCounts): number =>
  failed + cancelled + timedOut + expired;

const STATE_CODES = Object.fromEntries(STATES.map((state, code) => [state, code])) as Readonly<
  Record<ItemState, number>
>;

/**
 * Creates the states of `planned` items, all waiting. `positions` is the largest item number: it exceeds `planned` when
 * some items of the input are invalid and never sent.
 */
export function createItemStates(planned: number, positions = planned) {
  const states = new Uint8Array(positions + 1).fill(STATE_CODES.waiting);
  const counts = new Float64Array(STATES.length);
  counts[STATE_CODES.waiting] = planned;
  const count = (state: ItemState): number => counts[STATE_CODES[state]] ?? 0;
  const stateOf = (item: number): ItemState => STATES[states[item] ?? STATE_CODES.waiting] ?? 'waiting';
  return {
    /** The largest item number. */
    positions,
    stateOf,
    /** Applies an event to an item. Returns false and changes nothing when the event is not possible. */
    apply: (item: number, event: ItemEvent): boolean => {
      if (!Number.isInteger(item) || item < 1 || item > positions) return false;
      const before = stateOf(item);
      const after = nextState(before, event);
      if (after === undefined || (before === 'waiting' && count('waiting') === 0)) return false;
      states[item] = STATE_CODES[after];
      counts[STATE_CODES[before]] = count(before) - 1;
      counts[STATE_CODES[after]] = count(after) + 1;
      return true;
    },
    count,
    counts: (): ItemCounts => ({
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
    /** Iterates over the items in a state, in ascending order. */
    *items(state: ItemState): IterableIterator<number> {
      for (let item = 1; item <= positions; item++) if (states[item] === STATE_CODES[state]) yield item;
    },
  };
}

/** The state of every item of a batch, in one byte each. Items are numbered from 1. */
export type ItemStates = ReturnType<typeof createItemStates>;

/** Returns whether every planned item is counted exactly once. */
export const countsAddUp = (counts: ItemCounts): boolean =>
  counts.planned === COUNTED.reduce((sum, name) => sum + counts[name], 0);

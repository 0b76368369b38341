/** `sending`: may have been sent. After a crash it becomes `unknown`: the service may have the job. */
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
  /** The user decided to send it again, as a new job: it did not complete, or whether it was sent is unknown. */
  | { readonly kind: 'resubmit' };

const RESUBMITTABLE = ['failed', 'cancelled', 'timedOut', 'expired', 'unknown'] as const;
export type Resubmittable = (typeof RESUBMITTABLE)[number];

export type EndEvent = ItemEvent & { readonly kind: 'end' | 'refuse' };

type Transitions = Readonly<Partial<Record<ItemState, ItemState>>>;

const TRANSITIONS: Readonly<Record<Exclude<ItemEvent['kind'], 'end'>, Transitions>> = {
  send: { waiting: 'sending' },
  withdraw: { sending: 'waiting' },
  accept: { sending: 'submitted' },
  refuse: { sending: 'failed' },
  lose: { sending: 'unknown' },
  retry: { submitted: 'submitted' },
  resubmit: Object.fromEntries(RESUBMITTABLE.map((state) => [state, 'waiting'])),
};

/** It leaves such a state only when the user asks for it. */
export const hasResult = (state: ItemState): boolean =>
  state !== 'waiting' && state !== 'sending' && state !== 'submitted' && state !== 'unknown';

/** Undefined when the event is not possible in this state. */
export function nextState(state: ItemState, event: ItemEvent): ItemState | undefined {
  if (event.kind === 'end') return state === 'submitted' ? event.ending : undefined;
  return TRANSITIONS[event.kind][state];
}

/** `inFlight`: sent or submitted. */
const COUNTED = ['completed', 'failed', 'cancelled', 'timedOut', 'expired', 'unknown', 'inFlight', 'waiting'] as const;
type Counted = (typeof COUNTED)[number];

/** `planned` is the sum of all others. */
export type ItemCounts = Readonly<Record<'planned' | Counted, number>>;

/** Without unknown ones. */
export const itemsLeft = ({ waiting, inFlight }: Pick<ItemCounts, 'waiting' | 'inFlight'>): number =>
  waiting + inFlight;

export const notCompleted = ({ failed, cancelled, timedOut, expired }: ItemCounts): number =>
  failed + cancelled + timedOut + expired;

const STATE_CODES = Object.fromEntries(STATES.map((state, code) => [state, code])) as Readonly<
  Record<ItemState, number>
>;

/** `positions` exceeds `planned` when some items of the input are invalid and never sent. */
export function createItemStates(planned: number, positions = planned) {
  const states = new Uint8Array(positions + 1).fill(STATE_CODES.waiting);
  const counts = new Float64Array(STATES.length);
  counts[STATE_CODES.waiting] = planned;
  const count = (state: ItemState): number => counts[STATE_CODES[state]] ?? 0;
  const stateOf = (item: number): ItemState => STATES[states[item] ?? STATE_CODES.waiting] ?? 'waiting';
  return {
    positions,
    stateOf,
    /** False, without a change, when the event is not possible. */
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
    /** Ascending. */
    *items(state: ItemState): IterableIterator<number> {
      for (let item = 1; item <= positions; item++) if (states[item] === STATE_CODES[state]) yield item;
    },
  };
}

/** One byte per item. Items are numbered from 1. */
export type ItemStates = ReturnType<typeof createItemStates>;

export const countsAddUp = (counts: ItemCounts): boolean =>
  counts.planned === COUNTED.reduce((sum, name) => sum + counts[name], 0);

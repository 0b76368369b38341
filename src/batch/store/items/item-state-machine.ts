/**
 * Where an item stands. `sending` is an intent that is on the disk while the request may be on the wire; what is left
 * `sending` by a process that is gone is `unknown`: nobody can tell whether the service has it.
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

/** How a job ends; `expired` where the service no longer knows it. */
export type Ending = 'completed' | 'failed' | 'cancelled' | 'timedOut' | 'expired';

/** What can happen to an item. */
export type ItemEvent =
  /** Its submission is about to go out. */
  | { readonly kind: 'send' }
  /** It is certain that the service does not have it: not sent, or told to come again. */
  | { readonly kind: 'withdraw' }
  /** The service has it, under this id. */
  | { readonly kind: 'accept'; readonly job: string }
  /** The service will never take it. */
  | { readonly kind: 'refuse' }
  /** It was sent and no readable answer came. */
  | { readonly kind: 'lose' }
  | { readonly kind: 'end'; readonly ending: Ending }
  /** The service runs it again, under the same id. */
  | { readonly kind: 'retry'; readonly job: string }
  /** Somebody decided to send an unknown one again. */
  | { readonly kind: 'resubmit' };

type Moves = Readonly<Partial<Record<ItemState, ItemState>>>;

const MOVES: Readonly<Record<Exclude<ItemEvent['kind'], 'end'>, Moves>> = {
  send: { waiting: 'sending' },
  withdraw: { sending: 'waiting' },
  accept: { sending: 'submitted' },
  refuse: { sending: 'failed' },
  lose: { sending: 'unknown' },
  retry: { submitted: 'submitted', failed: 'submitted', timedOut: 'submitted' },
  resubmit: { unknown: 'waiting' },
};

/** The state after an event; undefined where the event cannot happen in that state. */
export function next(state: ItemState, event: ItemEvent): ItemState | undefined {
  if (event.kind === 'end') return state === 'submitted' ? event.ending : undefined;
  return MOVES[event.kind][state];
}

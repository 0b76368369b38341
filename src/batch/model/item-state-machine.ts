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

/** How an item ends; `expired` when the service no longer has its job. */
export type Ending = 'completed' | 'failed' | 'cancelled' | 'timedOut' | 'expired';

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
export const RESUBMITTABLE = ['failed', 'cancelled', 'timedOut', 'expired', 'unknown'] as const;
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

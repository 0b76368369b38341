import type { EventRecord } from '../../../model/event-record.ts';
import type { ItemEvent } from '../../../model/item-states.ts';
import type { EventData } from '../../../model/run-records.ts';

/** By how much a group of events changes the number of items in each state. */
export type CountChanges = Readonly<Record<'waiting' | 'sending' | 'submitted' | 'unknown', number>>;

const NO_CHANGES: CountChanges = { waiting: 0, sending: 0, submitted: 0, unknown: 0 };

/** The events that a shared store records; an end is published with the result. */
const CHANGES: Readonly<Partial<Record<ItemEvent['kind'], CountChanges>>> = {
  send: { ...NO_CHANGES, waiting: -1, sending: 1 },
  withdraw: { ...NO_CHANGES, waiting: 1, sending: -1 },
  accept: { ...NO_CHANGES, sending: -1, submitted: 1 },
  lose: { ...NO_CHANGES, sending: -1, unknown: 1 },
  retry: NO_CHANGES,
};

export const isRecorded = ({ kind }: ItemEvent): boolean => Object.hasOwn(CHANGES, kind);

/** Returns the record of an event; undefined for one that is not recorded. */
export function recordOf(item: number, event: ItemEvent, data: EventData): EventRecord | undefined {
  // A refused item waits again for the next driver, if this one ends before it publishes the refusal.
  if (event.kind === 'refuse') return { item, event: { kind: 'withdraw' }, data: {} };
  return isRecorded(event) ? { item, event, data } : undefined;
}

/** Returns the changes of a group of events. */
export function changesOf(events: readonly EventRecord[]): CountChanges {
  let { waiting, sending, submitted, unknown } = NO_CHANGES;
  for (const { event } of events) {
    const change = CHANGES[event.kind] ?? NO_CHANGES;
    waiting += change.waiting;
    sending += change.sending;
    submitted += change.submitted;
    unknown += change.unknown;
  }
  return { waiting, sending, submitted, unknown };
}

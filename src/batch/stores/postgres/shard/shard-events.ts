import type { ItemRecord } from '../../../model/item-record.ts';
import type { ItemEvent } from '../../../model/item-states.ts';
import type { EventData } from '../../../model/run-records.ts';

/** By how much a group of events changes the number of items in each state. */
export interface CountChanges {
  readonly waiting: number;
  readonly sending: number;
  readonly submitted: number;
  readonly unknown: number;
}

/** The events that a shared store records; an end is published with the result. */
const CHANGES: Readonly<Partial<Record<ItemEvent['kind'], Partial<CountChanges>>>> = {
  send: { waiting: -1, sending: 1 },
  withdraw: { waiting: 1, sending: -1 },
  accept: { sending: -1, submitted: 1 },
  lose: { sending: -1, unknown: 1 },
  retry: {},
};

export const isRecorded = ({ kind }: ItemEvent): boolean => Object.hasOwn(CHANGES, kind);

/** Returns the record of an event; undefined for one that is not recorded. */
export function recordOf(item: number, event: ItemEvent, data: EventData): ItemRecord | undefined {
  // A refused item waits again for the next driver, if this one ends before it publishes the refusal.
  if (event.kind === 'refuse') return { item, event: { kind: 'withdraw' }, data: {} };
  return isRecorded(event) ? { item, event, data } : undefined;
}

export const NO_CHANGES: CountChanges = { waiting: 0, sending: 0, submitted: 0, unknown: 0 };

/** Returns the changes of a group of events. */
export function changesOf(events: readonly ItemRecord[]): CountChanges {
  const sum = { ...NO_CHANGES };
  for (const { event } of events)
    for (const [state, change] of Object.entries(CHANGES[event.kind] ?? {})) sum[state as keyof CountChanges] += change;
  return sum;
}

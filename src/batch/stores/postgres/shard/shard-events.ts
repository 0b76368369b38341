import type { EventData } from '../../../model/run-records.ts';
import type { ItemEvent, ItemState } from '../../../model/item-states.ts';

/**
 * An event of an item as a shared store records it, until the end of the item is published. Codes are those of the
 * journal: `i` about to be sent, `w` certainly not accepted, `s` accepted as a job, `u` unknown, `r` run again.
 */
export type ShardEvent =
  readonly ['i', number, string?] | readonly ['w' | 'u', number] | readonly ['s' | 'r', number, string, number];

/** By how much a group of events changes the number of items in each state. */
export interface CountChanges {
  readonly waiting: number;
  readonly sending: number;
  readonly submitted: number;
  readonly unknown: number;
}

/** Returns the record of an event; undefined for an end, which is published with the result. */
export function recordOf(item: number, event: ItemEvent, data: EventFacts): ShardEvent | undefined {
  switch (event.kind) {
    case 'send':
      return data.id === undefined ? ['i', item] : ['i', item, data.id];
    case 'withdraw':
    case 'refuse':
      // A refused item waits again for the next driver, if this one ends before it publishes the refusal.
      return ['w', item];
    case 'accept':
      return ['s', item, event.job, data.at ?? 0];
    case 'retry':
      return ['r', item, event.job, data.at ?? 0];
    case 'lose':
      return ['u', item];
    case 'end':
    case 'find':
    case 'resubmit':
      return undefined;
  }
}

/** What an event has besides its kind. */
export type EventFacts = Pick<EventData, 'id' | 'at'>;

/** Returns the event of a record. */
export function eventOf(record: ShardEvent): ItemEvent {
  switch (record[0]) {
    case 'i':
      return { kind: 'send' };
    case 'w':
      return { kind: 'withdraw' };
    case 'u':
      return { kind: 'lose' };
    case 's':
      return { kind: 'accept', job: record[2] };
    case 'r':
      return { kind: 'retry', job: record[2] };
  }
}

export const NO_CHANGES: CountChanges = { waiting: 0, sending: 0, submitted: 0, unknown: 0 };

const CHANGES: Readonly<Record<ShardEvent[0], Partial<CountChanges>>> = {
  i: { waiting: -1, sending: 1 },
  w: { waiting: 1, sending: -1 },
  s: { sending: -1, submitted: 1 },
  u: { sending: -1, unknown: 1 },
  r: {},
};

/** Returns the changes of a group of events. */
export function changesOf(events: readonly ShardEvent[]): CountChanges {
  const sum = { ...NO_CHANGES };
  for (const [code] of events)
    for (const [state, change] of Object.entries(CHANGES[code])) sum[state as keyof CountChanges] += change;
  return sum;
}

/** An item whose end is not published and that has records. */
export interface OpenItem {
  readonly state: Extract<ItemState, 'sending' | 'submitted' | 'unknown'>;
  readonly id: string | undefined;
  readonly job: string;
  readonly at: number;
  readonly retries: number;
}

/** Returns an open item after one more record; undefined when it waits again. */
export function afterRecord(before: OpenItem | undefined, record: ShardEvent): OpenItem | undefined {
  switch (record[0]) {
    case 'i':
      return { state: 'sending', id: record[2], job: '', at: 0, retries: 0 };
    case 'w':
      return undefined;
    case 'u':
      return { state: 'unknown', id: before?.id, job: '', at: 0, retries: 0 };
    case 's':
      return { state: 'submitted', id: before?.id, job: record[2], at: record[3], retries: 0 };
    case 'r':
      return { state: 'submitted', id: before?.id, job: record[2], at: record[3], retries: (before?.retries ?? 0) + 1 };
  }
}

/** Returns the events that lead to an open item: `afterRecord` of all of them is that item again. */
export function eventsTo(item: number, { state, id, job, at, retries }: OpenItem): readonly ShardEvent[] {
  const sent: ShardEvent = id === undefined ? ['i', item] : ['i', item, id];
  switch (state) {
    case 'sending':
      return [sent];
    case 'unknown':
      return [sent, ['u', item]];
    case 'submitted':
      return [sent, ['s', item, job, at], ...Array.from({ length: retries }, (): ShardEvent => ['r', item, job, at])];
  }
}

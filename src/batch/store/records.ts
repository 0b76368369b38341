import type { Json } from '../../core/json.ts';
import type { EndEvent, ItemEvent } from '../model/item-states.ts';
import { type LineOwner, resultLine } from '../model/result-line.ts';
import type { EventData } from './event-record.ts';
import type { OpenBatch } from './open-batch.ts';

/** The parts of an open batch that its records are kept in. */
type BatchFiles = Pick<OpenBatch, 'states' | 'jobIds' | 'journal' | 'results' | 'jobs' | 'failed' | 'expired'>;

/** Creates the records of one run of an open batch. `now` returns the date, in milliseconds since the epoch. */
export function createRecords(
  { states, jobIds, journal, results, jobs, failed, expired }: BatchFiles,
  now: () => number,
) {
  const record = (item: number, event: ItemEvent, data: EventData = {}): Promise<void> => {
    if (!states.apply(item, event)) throw new Error(`item ${item} is ${states.stateOf(item)} and cannot ${event.kind}`);
    return journal.write({ kind: 'event', item, event, data });
  };
  return {
    states,
    /** Jobs that the service had when the batch was opened. */
    jobs,
    /** Jobs that failed or timed out in an earlier run, when they are to be retried. */
    failed,
    /** Jobs that the service did not have in an earlier run, and may have all the same. */
    expired,
    /** Applies an event and records it. Resolves when the record is on disk. */
    record,
    /** Takes back an intent whose record failed: no request was sent for it. Records nothing. */
    forgetIntent: (item: number): void => {
      states.apply(item, { kind: 'withdraw' });
    },
    /** Writes the result of an item, and then records the event that ends it. */
    saveResult: async (owner: LineOwner, document: Json, event: EndEvent): Promise<void> => {
      const extent = await results.append(resultLine(owner, document));
      await record(owner.item, event, { ...extent, at: now() });
    },
    /** Returns false when another job of the batch has this id. */
    addJobId: (id: string): boolean => jobIds.add(id),
    /** Resolves when no write is pending. */
    idle: async (): Promise<void> => {
      await Promise.all([journal.idle(), results.idle()]);
    },
  };
}

export type RunRecords = ReturnType<typeof createRecords>;

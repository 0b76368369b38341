import type { Json } from '../../core/json.ts';
import type { EndEvent, ItemEvent } from '../model/item-states.ts';
import { type LineOwner, resultLine } from '../model/result-line.ts';
import type { EventData } from './record.ts';
import type { OpenBatch } from './open-batch.ts';

type BatchFiles = Pick<OpenBatch, 'states' | 'jobIds' | 'journal' | 'results' | 'jobs' | 'failed'>;

/** `now` returns milliseconds since the epoch. */
export function createRecords({ states, jobIds, journal, results, jobs, failed }: BatchFiles, now: () => number) {
  const record = (item: number, event: ItemEvent, data: EventData = {}): Promise<void> => {
    if (!states.apply(item, event)) throw new Error(`item ${item} is ${states.stateOf(item)} and cannot ${event.kind}`);
    return journal.write({ kind: 'event', item, event, data });
  };
  return {
    states,
    jobs,
    /** Jobs that failed or timed out in an earlier run, when they are to be retried. */
    failed,
    /** Resolves when the record is on disk. */
    record,
    /** Its record failed and no request was sent. Records nothing. */
    forgetIntent: (item: number): void => {
      states.apply(item, { kind: 'withdraw' });
    },
    /** The result first, then the record of its end. */
    saveResult: async (owner: LineOwner, document: Json, event: EndEvent): Promise<void> => {
      const extent = await results.append(resultLine(owner, document));
      await record(owner.item, event, { ...extent, at: now() });
    },
    /** False when another job of the batch has this id. */
    addJobId: (id: string): boolean => jobIds.add(id),
    idle: async (): Promise<void> => {
      await Promise.all([journal.idle(), results.idle()]);
    },
  };
}

export type RunRecords = ReturnType<typeof createRecords>;

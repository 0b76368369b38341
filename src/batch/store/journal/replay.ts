import type { DurableFiles } from '../../../core/context.ts';
import { journalPath } from '../file-names.ts';
import { createItemStates, type ItemStates } from '../items/item-states.ts';
import { createJobIds, type JobIds } from '../items/job-ids.ts';
import { brokenJournal, readJournal, type JournalEnd } from './journal.ts';
import type { BatchHeader, JournalRecord } from './record.ts';

/** A job that the service has according to the journal. */
export interface JournalJob {
  readonly item: number;
  readonly job: string;
  /** JSON text of the item's label. */
  readonly id: string | undefined;
  /** Milliseconds since the epoch. */
  readonly submittedAt: number;
  readonly retries: number;
}

/** The state of a batch according to its journal. */
export interface JournalState {
  readonly header: BatchHeader;
  readonly states: ItemStates;
  /** Jobs that had not ended, by item. */
  readonly jobs: ReadonlyMap<number, JournalJob>;
  /** Jobs that failed or timed out, by item; empty unless `wantFailed` is set. */
  readonly failed: ReadonlyMap<number, JournalJob>;
  /** The ids of all jobs that the service accepted. */
  readonly jobIds: JobIds;
  /** Length of the results file in bytes, and its CRC-32 when the journal has it. */
  readonly resultBytes: number;
  readonly checksum: number | undefined;
  /** Items that had ended ran again after the last sort: the results may have two lines for one item. */
  readonly hasRerunItems: boolean;
  /** The last record says that the results are about to be replaced by the sorted copy. */
  readonly endsWithOrdered: boolean;
  /** The results were sorted, and nothing was added after that. */
  readonly inOrder: boolean;
  readonly end: JournalEnd;
}

/**
 * Replays the journal of a batch. An item that has ended takes one byte of memory, unless `wantFailed` asks for the jobs
 * that failed. Fails with local-file (14) as `readJournal` does, and when an event is not possible in its item's state.
 */
export async function replayJournal(durable: DurableFiles, results: string, wantFailed = false): Promise<JournalState> {
  const path = journalPath(results);
  const ids = new Map<number, string>();
  const jobs = new Map<number, JournalJob>();
  const failed = new Map<number, JournalJob>();
  let batch: { readonly header: BatchHeader; readonly states: ItemStates; readonly jobIds: JobIds } | undefined;
  let resultBytes = 0;
  let checksum: number | undefined = 0;
  let hasRerunItems = false;
  let endsWithOrdered = false;
  let inOrder = false;

  const onEvent = ({ item, event, data }: JournalRecord & { kind: 'event' }): void => {
    if ((data.resultBytes ?? 0) > resultBytes) {
      resultBytes = data.resultBytes ?? 0;
      ({ checksum } = data);
      inOrder = false;
    }
    const job = jobs.get(item);
    switch (event.kind) {
      case 'send':
        if (data.id !== undefined) ids.set(item, data.id);
        return;
      case 'accept':
        batch?.jobIds.add(event.job);
        jobs.set(item, { item, job: event.job, id: ids.get(item), submittedAt: data.at ?? 0, retries: 0 });
        ids.delete(item);
        return;
      case 'end':
        jobs.delete(item);
        if (wantFailed && job !== undefined && (event.ending === 'failed' || event.ending === 'timedOut'))
          failed.set(item, job);
        return;
      case 'retry':
        inOrder = false;
        hasRerunItems ||= job === undefined;
        failed.delete(item);
        jobs.set(item, {
          item,
          job: event.job,
          id: job?.id ?? data.id,
          submittedAt: data.at ?? 0,
          retries: (job?.retries ?? 0) + 1,
        });
        return;
      case 'withdraw':
      case 'refuse':
      case 'lose':
      case 'resubmit':
        ids.delete(item);
    }
  };

  const end = await readJournal(durable, path, (record, offset) => {
    endsWithOrdered = record.kind === 'ordered';
    if (record.kind === 'header') {
      const { planned, invalid } = record.header;
      batch = {
        header: record.header,
        states: createItemStates(planned, planned + invalid),
        jobIds: createJobIds(planned),
      };
    } else if (record.kind === 'ordered') {
      resultBytes = record.bytes;
      ({ checksum } = record);
      inOrder = true;
      hasRerunItems = false;
    } else if (batch?.states.apply(record.item, record.event) === true) onEvent(record);
    else throw brokenJournal(path, offset, `item ${String(record.item)} cannot ${record.event.kind} there`);
  });
  if (batch === undefined) throw brokenJournal(path, 0, 'it has no header');
  return { ...batch, jobs, failed, resultBytes, checksum, hasRerunItems, endsWithOrdered, inOrder, end };
}

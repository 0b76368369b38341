import type { DurableFiles } from '../../../core/context.ts';
import { createLedger, type Ledger } from '../items/item-states.ts';
import { createJobIds, type JobIds } from '../items/job-ids.ts';
import { broken, journalPath, readJournal, type JournalEnd } from './journal.ts';
import type { BatchHeader, JournalRecord } from './record.ts';

/** A job that the service has, as far as the journal tells. */
export interface PastJob {
  readonly item: number;
  readonly job: string;
  /** JSON text of the item's own id. */
  readonly id: string | undefined;
  /** Milliseconds since the epoch. */
  readonly submittedAt: number;
  readonly retries: number;
}

/** Everything a journal tells of a batch. */
export interface Past {
  readonly header: BatchHeader;
  readonly ledger: Ledger;
  /** Jobs that had not ended, by item. */
  readonly jobs: ReadonlyMap<number, PastJob>;
  /** Jobs that failed or timed out, by item; only where they were asked for. */
  readonly failed: ReadonlyMap<number, PastJob>;
  /** The ids of all jobs that the service ever took. */
  readonly jobIds: JobIds;
  /** Bytes of the results file that the journal speaks of, and their CRC-32 where it is known. */
  readonly resultBytes: number;
  readonly checksum: number | undefined;
  /** Items that had ended ran again since the results were put in order: there may be two lines of one. */
  readonly ranAgain: boolean;
  /** The last thing that was done was to put the results in order. */
  readonly ordered: boolean;
  /** They were put in order, and nothing was added since. */
  readonly inOrder: boolean;
  readonly end: JournalEnd;
}

/**
 * Reads a batch's journal from its beginning. What it keeps of an item that has ended is one byte, unless the failed
 * ones are wanted. Fails with local-file (14) as readJournal does, and where an event cannot have happened.
 */
export async function replay(durable: DurableFiles, results: string, wantFailed = false): Promise<Past> {
  const path = journalPath(results);
  const ids = new Map<number, string>();
  const jobs = new Map<number, PastJob>();
  const failed = new Map<number, PastJob>();
  let begun: { readonly header: BatchHeader; readonly ledger: Ledger; readonly jobIds: JobIds } | undefined;
  let resultBytes = 0;
  let checksum: number | undefined = 0;
  let ranAgain = false;
  let ordered = false;
  let inOrder = false;

  const happened = ({ item, event, more }: JournalRecord & { kind: 'event' }): void => {
    if ((more.resultBytes ?? 0) > resultBytes) {
      resultBytes = more.resultBytes ?? 0;
      ({ checksum } = more);
      inOrder = false;
    }
    const job = jobs.get(item);
    switch (event.kind) {
      case 'send':
        if (more.id !== undefined) ids.set(item, more.id);
        return;
      case 'accept':
        begun?.jobIds.add(event.job);
        jobs.set(item, { item, job: event.job, id: ids.get(item), submittedAt: more.at ?? 0, retries: 0 });
        ids.delete(item);
        return;
      case 'end':
        jobs.delete(item);
        if (wantFailed && job !== undefined && (event.ending === 'failed' || event.ending === 'timedOut'))
          failed.set(item, job);
        return;
      case 'retry':
        inOrder = false;
        ranAgain ||= job === undefined;
        failed.delete(item);
        jobs.set(item, {
          item,
          job: event.job,
          id: job?.id ?? more.id,
          submittedAt: more.at ?? 0,
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
    ordered = record.kind === 'ordered';
    if (record.kind === 'header') {
      const { planned, invalid } = record.header;
      begun = {
        header: record.header,
        ledger: createLedger(planned, planned + invalid),
        jobIds: createJobIds(planned),
      };
    } else if (record.kind === 'ordered') {
      resultBytes = record.bytes;
      ({ checksum } = record);
      inOrder = true;
      ranAgain = false;
    } else if (begun?.ledger.apply(record.item, record.event) === true) happened(record);
    else throw broken(path, offset, `item ${String(record.item)} cannot ${record.event.kind} there`);
  });
  if (begun === undefined) throw broken(path, 0, 'it has no head');
  return { ...begun, jobs, failed, resultBytes, checksum, ranAgain, ordered, inOrder, end };
}

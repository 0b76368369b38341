import type { DurableFiles } from '../../core/context.ts';
import type { DollarRange } from '../../core/units.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import { journalPath } from './file-names.ts';
import { createItemStates, hasResult, type ItemStates } from '../model/item-states.ts';
import { createJobIds, type JobIds } from '../model/job-id-set.ts';
import { brokenJournal, type JournalEnd, readJournal } from './journal.ts';
import type { BatchHeader, JournalRecord } from './record.ts';
import type { EventRecord } from './event-record.ts';
import type { KnownJob } from '../model/run-end.ts';

export interface JournalState {
  readonly header: BatchHeader;
  readonly states: ItemStates;
  /** Jobs that had not ended. */
  readonly jobs: readonly KnownJob[];
  /** Jobs that failed or timed out; empty unless `wantFailed` is set. */
  readonly failed: readonly KnownJob[];
  /** Jobs that expired; those submitted after `expiredSince`. */
  readonly expired: readonly KnownJob[];
  /** The ids of all jobs that the service accepted. */
  readonly jobIds: JobIds;
  /** Length of the results file in bytes, and its CRC-32 when the journal has it. */
  readonly resultBytes: number;
  readonly checksum: number | undefined;
  /**
   * True when items that had ended were sent again or ran again after the last sort: the results may have two lines for
   * one item.
   */
  readonly hasRerunItems: boolean;
  /** How often an item was sent again as a new job, and how often the service ran a job again. */
  readonly resubmitted: number;
  readonly retried: number;
  /** The range of all prices of a worker per hour in the journal; undefined when there is none. */
  readonly workerPrice: DollarRange | undefined;
  /**
   * True when the last record, apart from prices, is `ordered`: the results were about to be replaced by the sorted
   * copy.
   */
  readonly endsWithOrdered: boolean;
  /** True when the results were sorted and nothing was added after that. */
  readonly inOrder: boolean;
  readonly end: JournalEnd;
}

interface ReplayOptions {
  readonly wantFailed?: boolean;
  /** The jobs that expired and were submitted after this date are loaded; none by default. */
  readonly expiredSince?: EpochMs | undefined;
  readonly onRecord?: (record: JournalRecord) => void;
}

/**
 * Replays the journal of a batch. An item that has ended needs one byte of memory for its state; with `wantFailed`, the
 * jobs that failed or timed out are kept too. Fails with local-file (14) as `readJournal` does, and when an event is
 * not possible in its item's state.
 */
export async function replayJournal(
  durable: DurableFiles,
  results: string,
  { wantFailed = false, expiredSince = Number.POSITIVE_INFINITY, onRecord }: ReplayOptions = {},
): Promise<JournalState> {
  const path = journalPath(results);
  const [open, failed, expired] = [createOpenItems(), createOpenItems(), createOpenItems()];
  let batch: { readonly header: BatchHeader; readonly states: ItemStates; readonly jobIds: JobIds } | undefined;
  let resultBytes = 0;
  let checksum: number | undefined = 0;
  let hasRerunItems = false;
  let endsWithOrdered = false;
  let inOrder = false;
  let [resubmitted, retried] = [0, 0];
  let workerPrice: DollarRange | undefined;

  const onEvent = ({ item, event, data }: EventRecord, hadResult: boolean): void => {
    if ((data.resultBytes ?? 0) > resultBytes) {
      resultBytes = data.resultBytes ?? 0;
      ({ checksum } = data);
      inOrder = false;
    }
    const before = open.get(item);
    const after = afterRecord(before, { item, event, data });
    if (after === undefined) open.delete(item);
    else open.set(item, after);
    if (event.kind === 'accept') batch?.jobIds.add(event.job);
    else if (event.kind === 'end') {
      const isFailed = event.ending === 'failed' || event.ending === 'timedOut';
      if (before?.state !== 'submitted') return;
      if (wantFailed && isFailed) failed.set(item, before);
      if (event.ending === 'expired' && before.submittedAt > expiredSince) expired.set(item, before);
    } else if (event.kind === 'retry' || event.kind === 'find' || event.kind === 'resubmit') {
      if (event.kind === 'retry') retried += 1;
      if (event.kind === 'resubmit') resubmitted += 1;
      failed.delete(item);
      expired.delete(item);
      // Its line in the results stays until they are sorted.
      if (hadResult) [hasRerunItems, inOrder] = [true, false];
    }
  };
  const end = await readJournal(durable, path, (record, offset) => {
    // A price may be written between the record of a sort and the rename.
    if (record.kind !== 'price') endsWithOrdered = record.kind === 'ordered';
    if (record.kind === 'header') {
      const { planned, invalid } = record.header;
      batch = {
        header: record.header,
        states: createItemStates(planned, planned + invalid),
        jobIds: createJobIds(planned),
      };
      return;
    }
    if (record.kind === 'ordered') {
      resultBytes = record.bytes;
      ({ checksum } = record);
      inOrder = true;
      hasRerunItems = false;
    } else if (record.kind === 'price') workerPrice = widest(workerPrice, record.perHour);
    else {
      const { item, event } = record;
      const hadResult = hasResult(batch?.states.stateOf(item) ?? 'waiting');
      if (batch?.states.apply(item, event) !== true)
        throw brokenJournal(path, offset, `item ${String(item)} cannot ${event.kind} there`);
      onEvent(record, hadResult);
    }
    onRecord?.(record);
  });
  if (batch === undefined) throw brokenJournal(path, 0, 'it has no header');
  const content = { resultBytes, checksum, hasRerunItems, endsWithOrdered, inOrder };
  const jobs = { jobs: jobsOf(open), failed: jobsOf(failed), expired: jobsOf(expired) };
  return { ...batch, ...jobs, ...content, resubmitted, retried, workerPrice, end };
}

/** An item that was sent and has no recorded end. */
type OpenItem =
  | ({ readonly state: 'sending' | 'unknown' } & Pick<KnownJob, 'id'>)
  | ({ readonly state: 'submitted' } & Omit<KnownJob, 'item'>);

/** The date of a submission where none is recorded: 1970, so that the job is old. */
const LONG_AGO: EpochMs = 0;

/** One for all items without a label: a journal has millions of them. */
const SENDING: OpenItem = { state: 'sending', id: undefined };

/** Returns an open item after one more record; undefined when it has ended or waits again. */
function afterRecord(before: OpenItem | undefined, { event, data }: EventRecord): OpenItem | undefined {
  const { kind } = event;
  if (kind === 'send') return data.id === undefined ? SENDING : { ...SENDING, id: data.id };
  if (kind === 'lose') return { state: 'unknown', id: before?.id };
  if (kind !== 'accept' && kind !== 'retry' && kind !== 'find') return undefined;
  const retriesBefore = before?.state === 'submitted' ? before.retries : 0;
  return {
    ...{ state: 'submitted', id: before?.id ?? data.id, job: event.job },
    ...{ submittedAt: data.at ?? LONG_AGO, retries: kind === 'retry' ? retriesBefore + 1 : 0 },
  };
}

/** The jobs of the open items that the service has. */
const jobsOf = (open: ReadonlyMap<number, OpenItem>): readonly KnownJob[] =>
  [...open].flatMap(([item, each]) => {
    if (each.state !== 'submitted') return [];
    const { state: _, ...job } = each;
    return [{ item, ...job }];
  });

const createOpenItems = () => new Map<number, OpenItem>();

const widest = (known: DollarRange | undefined, { low, high }: DollarRange): DollarRange => ({
  low: Math.min(low, known?.low ?? low),
  high: Math.max(high, known?.high ?? high),
});

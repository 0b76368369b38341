import { createItemStates, hasResult, type ItemStates } from '../model/item-states.ts';
import type { BatchSettings } from '../model/batch.ts';
import type { KnownJob } from '../model/run-end.ts';
import { journalPath } from './file-names.ts';
import { brokenJournal, type JournalEnd, readJournal } from './journal.ts';
import type { BatchHeader, EventRecord, JournalRecord } from './record.ts';
import type { DurableFiles } from '../../core/context.ts';
import type { DollarRange } from '../../core/units.ts';

/** More slots need more memory, fewer make probing slower. */
const SLOTS_PER_ID = 1.5;

/** Six bytes per id: a hash table of 32-bit hashes, indexed by 32 other bits. */
export function createJobIds(capacity: number) {
  const slotCount = Math.ceil(capacity * SLOTS_PER_ID) + 16;
  const slots = new Uint32Array(slotCount);
  let count = 0;
  return {
    /** False for a known id, and in rare cases (about one in several billion) for a new one. */
    add: (id: string): boolean => {
      const [first, second] = hashesOf(id);
      // Zero marks an empty slot.
      const stored = first === 0 ? 1 : first;
      let slot = second % slotCount;
      for (let other = slots[slot]; other !== 0 && other !== undefined; other = slots[slot]) {
        if (other === stored) return false;
        slot = slot + 1 === slotCount ? 0 : slot + 1;
      }
      // After many resubmissions there are more ids than items: those beyond the capacity are not stored.
      if (count < capacity * 1.25) {
        slots[slot] = stored;
        count += 1;
      }
      return true;
    },
  };
}

/** Detects that the service returned the same id for two jobs. */
type JobIds = ReturnType<typeof createJobIds>;

function hashesOf(text: string): readonly [number, number] {
  let first = 0xdeadbeef;
  let second = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    first = Math.imul(first ^ character, 2_654_435_761);
    second = Math.imul(second ^ character, 1_597_334_677);
  }
  first = Math.imul(first ^ (first >>> 16), 2_246_822_507) ^ Math.imul(second ^ (second >>> 13), 3_266_489_909);
  second = Math.imul(second ^ (second >>> 16), 2_246_822_507) ^ Math.imul(first ^ (first >>> 13), 3_266_489_909);
  return [first >>> 0, second >>> 0];
}

export interface JournalState {
  readonly header: BatchHeader;
  /** The latest of each. */
  readonly settings: BatchSettings;
  readonly states: ItemStates;
  readonly jobs: readonly KnownJob[];
  /** Failed or timed out; empty unless they are wanted. */
  readonly failed: readonly KnownJob[];
  readonly jobIds: JobIds;
  /** Length of the results file in bytes, and its CRC-32. */
  readonly resultBytes: number;
  readonly checksum: number;
  /** Rerun after the last sort: the results may have two lines for one item. */
  readonly hasRerunItems: boolean;
  readonly resubmitted: number;
  readonly retried: number;
  /** Per hour; undefined when the journal has none. */
  readonly workerPrice: DollarRange | undefined;
  /** The last record, apart from prices, is `ordered`: the sorted copy was about to replace the results. */
  readonly endsWithOrdered: boolean;
  /** Sorted, and nothing was added after that. */
  readonly inOrder: boolean;
  readonly end: JournalEnd;
}

interface ReplayOptions {
  /** Whether the failed jobs are wanted, with the settings of the batch. */
  readonly wantFailed?: (settings: BatchSettings) => boolean;
  readonly onRecord?: (record: JournalRecord) => void;
}

/** One byte per ended item. Fails with local-file (14), also for an event that is not possible. */
export async function replayJournal(
  durable: DurableFiles,
  results: string,
  { wantFailed, onRecord }: ReplayOptions = {},
): Promise<JournalState> {
  const path = journalPath(results);
  const [open, failed] = [createOpenItems(), createOpenItems()];
  let batch: { readonly header: BatchHeader; readonly states: ItemStates; readonly jobIds: JobIds } | undefined;
  let resultBytes = 0;
  let checksum = 0;
  let hasRerunItems = false;
  let endsWithOrdered = false;
  let inOrder = false;
  let [resubmitted, retried] = [0, 0];
  let workerPrice: DollarRange | undefined;
  let settings: BatchSettings = {};

  const onEvent = ({ item, event, data }: EventRecord, hadResult: boolean): void => {
    if ((data.resultBytes ?? 0) > resultBytes) {
      resultBytes = data.resultBytes ?? 0;
      checksum = data.checksum ?? 0;
      inOrder = false;
    }
    const before = open.get(item);
    const after = afterRecord(before, { item, event, data });
    if (after === undefined) open.delete(item);
    else open.set(item, after);
    if (event.kind === 'accept') batch?.jobIds.add(event.job);
    else if (event.kind === 'end') {
      const isFailed = event.ending === 'failed' || event.ending === 'timedOut';
      if (before !== undefined && wantFailed !== undefined && isFailed) failed.set(item, before);
    } else if (event.kind === 'retry' || event.kind === 'resubmit') {
      if (event.kind === 'retry') retried += 1;
      if (event.kind === 'resubmit') resubmitted += 1;
      failed.delete(item);
      // Its line in the results stays until they are sorted.
      if (hadResult) [hasRerunItems, inOrder] = [true, false];
    }
  };
  const end = await readJournal(durable, path, (record, offset) => {
    // Others may be written between the record of a sort and the rename.
    if (record.kind !== 'price' && record.kind !== 'settings') endsWithOrdered = record.kind === 'ordered';
    if (record.kind === 'header') {
      const { planned, invalid, shard } = record.header;
      ({ settings } = record.header);
      batch = {
        header: record.header,
        states: createItemStates(planned, shard?.items ?? planned + invalid),
        jobIds: createJobIds(planned),
      };
      return;
    }
    if (record.kind === 'ordered') {
      resultBytes = record.bytes;
      ({ checksum } = record);
      inOrder = true;
      hasRerunItems = false;
    } else if (record.kind === 'settings') settings = { ...settings, ...record.settings };
    else if (record.kind === 'price') workerPrice = widest(workerPrice, record.perHour);
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
  const jobs = { jobs: jobsOf(open), failed: wantFailed?.(settings) === true ? jobsOf(failed) : [] };
  return { ...batch, ...jobs, ...content, settings, resubmitted, retried, workerPrice, end };
}

type OpenItem =
  | ({ readonly state: 'sending' | 'unknown' } & Pick<KnownJob, 'id'>)
  | ({ readonly state: 'submitted' } & Omit<KnownJob, 'item'>);

/** One for all items without a label: a journal has millions of them. */
const SENDING: OpenItem = { state: 'sending', id: undefined };

/** Undefined when it has ended or waits again. */
function afterRecord(before: OpenItem | undefined, { event, data }: EventRecord): OpenItem | undefined {
  const { kind } = event;
  if (kind === 'send') return data.id === undefined ? SENDING : { ...SENDING, id: data.id };
  if (kind === 'lose') return { state: 'unknown', id: before?.id };
  if (kind !== 'accept' && kind !== 'retry') return undefined;
  const retriesBefore = before?.state === 'submitted' ? before.retries : 0;
  return {
    ...{ state: 'submitted', id: before?.id ?? data.id, job: event.job },
    ...{ submittedAt: data.at ?? 0, retries: kind === 'retry' ? retriesBefore + 1 : 0 },
  };
}

const jobsOf = (open: ReadonlyMap<number, OpenItem>): readonly KnownJob[] =>
  [...open].flatMap(([item, each]) => {
    if (each.state !== 'submitted') return [];
    const { state: _, ...job } = each;
    return [{ item, ...job }];
  });

const createOpenItems = () => new Map<number, OpenItem>();

export const widest = (known: DollarRange | undefined, { low, high }: DollarRange): DollarRange => ({
  low: Math.min(low, known?.low ?? low),
  high: Math.max(high, known?.high ?? high),
});

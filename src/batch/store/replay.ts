import type { BatchSettings, KnownJob } from '../model/batch.ts';
import { createItemStates, hasResult, type ItemStates } from '../model/item-states.ts';
import { brokenJournal, type JournalEnd, readJournal } from './journal.ts';
import { journalPath } from './paths.ts';
import type { BatchHeader, EventRecord } from './record.ts';
import type { DurableFiles } from '../../core/context.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import type { DollarRange } from '../../core/units.ts';

/** More slots need more memory, fewer make probing slower. */
const SLOTS_PER_ID = 1.5;

/** Detects that the service gave two jobs one id. Six bytes per id: a table of 32-bit hashes, indexed by 32 other bits. */
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
  readonly jobIds: ReturnType<typeof createJobIds>;
  /** Length of the results file in bytes, and its CRC-32. */
  readonly resultBytes: number;
  readonly checksum: number;
  /** Sent again after the last sort: the results may have two lines for one item. */
  readonly hasRerunItems: boolean;
  readonly resubmitted: number;
  readonly lastEndedAt: EpochMs | undefined;
  /** Per hour; undefined when the journal has none. */
  readonly workerPrice: DollarRange | undefined;
  /** The last record, apart from prices, is `ordered`: the sorted copy was about to replace the results. */
  readonly endsWithOrdered: boolean;
  /** Sorted, and nothing was added after that. */
  readonly inOrder: boolean;
  readonly end: JournalEnd;
}

/** One byte per ended item. Fails with local-file (14), also for an event that is not possible. */
export async function replayJournal(durable: DurableFiles, results: string): Promise<JournalState> {
  const path = journalPath(results);
  const open = new Map<number, OpenItem>();
  let batch: Pick<JournalState, 'header' | 'states' | 'jobIds'> | undefined;
  let [resultBytes, checksum, resubmitted] = [0, 0, 0];
  let [hasRerunItems, endsWithOrdered, inOrder] = [false, false, false];
  let lastEndedAt: EpochMs | undefined;
  let workerPrice: DollarRange | undefined;
  let settings: BatchSettings = {};

  const onEvent = ({ item, event, data }: EventRecord, hadResult: boolean): void => {
    if ((data.resultBytes ?? 0) > resultBytes) {
      resultBytes = data.resultBytes ?? 0;
      checksum = data.checksum ?? 0;
      inOrder = false;
      lastEndedAt = Math.max(lastEndedAt ?? 0, data.at ?? 0) || undefined;
    }
    const after = afterRecord(open.get(item), { item, event, data });
    if (after === undefined) open.delete(item);
    else open.set(item, after);
    if (event.kind === 'accept') batch?.jobIds.add(event.job);
    else if (event.kind === 'resubmit') {
      resubmitted += 1;
      // Its line in the results stays until they are sorted.
      if (hadResult) [hasRerunItems, inOrder] = [true, false];
    }
  };
  const end = await readJournal(durable, path, (record, offset) => {
    // Others may be written between the record of a sort and the rename.
    if (record.kind !== 'price' && record.kind !== 'settings') endsWithOrdered = record.kind === 'ordered';
    switch (record.kind) {
      case 'header': {
        const { header } = record;
        const { planned, invalid, shard } = header;
        ({ settings } = header);
        const states = createItemStates(planned, shard?.items ?? planned + invalid);
        batch = { header, states, jobIds: createJobIds(planned) };
        return;
      }
      case 'ordered':
        ({ bytes: resultBytes, checksum } = record);
        [inOrder, hasRerunItems] = [true, false];
        return;
      case 'settings':
        settings = { ...settings, ...record.settings };
        return;
      case 'price':
        workerPrice = widest(workerPrice, record.perHour);
        return;
      case 'event': {
        const { item, event } = record;
        const hadResult = hasResult(batch?.states.stateOf(item) ?? 'waiting');
        if (batch?.states.apply(item, event) !== true)
          throw brokenJournal(path, offset, `item ${String(item)} cannot ${event.kind} there`);
        onEvent(record, hadResult);
      }
    }
  });
  if (batch === undefined) throw brokenJournal(path, 0, 'it has no header');
  const jobs = [...open].flatMap(([item, each]) => (each.job === undefined ? [] : [{ item, ...each }]));
  const content = { resultBytes, checksum, hasRerunItems, endsWithOrdered, inOrder };
  return { ...batch, jobs, ...content, settings, resubmitted, lastEndedAt, workerPrice, end };
}

/** Without a job until one was accepted. */
type OpenItem = Omit<KnownJob, 'item'> | { readonly id: string | undefined; readonly job?: undefined };

/** One for all items without a label: a journal has millions of them. */
const SENDING: OpenItem = { id: undefined };

/** Undefined when it has ended or waits again. */
function afterRecord(before: OpenItem | undefined, { event, data }: EventRecord): OpenItem | undefined {
  const { kind } = event;
  if (kind === 'send') return data.id === undefined ? SENDING : { id: data.id };
  if (kind !== 'accept' && kind !== 'retry') return undefined;
  const retries = kind === 'retry' && before?.job !== undefined ? before.retries + 1 : 0;
  return { id: before?.id, job: event.job, submittedAt: data.at ?? 0, retries };
}

export const widest = (known: DollarRange | undefined, { low, high }: DollarRange): DollarRange => ({
  low: Math.min(low, known?.low ?? low),
  high: Math.max(high, known?.high ?? high),
});

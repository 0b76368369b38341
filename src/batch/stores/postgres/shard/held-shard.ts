import {
  createItemStates,
  type Ending,
  type EndEvent,
  type ItemEvent,
  type ItemState,
} from '../../../model/item-states.ts';
import { createBitmap } from './bitmap.ts';
import { afterRecord, eventsTo, jobsOf, type OpenItem } from '../../../model/open-item.ts';
import { changesOf, type CountChanges, recordOf } from './shard-events.ts';
import type { EventRecord } from '../../../model/event-record.ts';
import type { EventData, KnownJob } from '../../../model/run-records.ts';
import type { LineOwner } from '../../../model/result-line.ts';
import type { EpochMs } from '../../../../core/unit-types.ts';

/** A shard as the store describes it when a driver claims it. */
export interface ClaimedShard {
  readonly shard: number;
  readonly epoch: number;
  /** Number of the first item among all items of the batch, from 1. */
  readonly firstItem: number;
  /** Number of items, with invalid ones. */
  readonly items: number;
  readonly invalid: number;
  /** A bit for each item with a published end or an unknown outcome. */
  readonly ended: Uint8Array;
  /** The records of earlier epochs, in order. */
  readonly records: readonly EventRecord[];
}

/** Records that are written together. */
export interface RecordGroup {
  readonly epoch: number;
  /** Position in the epoch, from 0. A group is written once, however often it is sent. */
  readonly number: number;
  readonly changes: CountChanges;
  readonly events: readonly EventRecord[];
}

/** How the items of a part ended. */
type PartCounts = Readonly<Record<Ending, number>>;

/** What the store does not know yet of a shard. */
export interface Unwritten {
  /** How the items ended whose results are not published. */
  readonly ends: PartCounts;
  /** How many of these the store counts as submitted: not those that the service refused. */
  readonly endedJobs: number;
  /** What the records change that were not taken yet. */
  readonly changes: CountChanges;
}

/** Results that are about to be published: more results may come while they are written. */
interface PartDraft {
  /** The epoch under which the part is written. */
  readonly epoch: number;
  readonly lines: readonly string[];
  readonly counts: PartCounts;
  /** When its items ended. */
  readonly ends: readonly EndsInSecond[];
  /** Items without a result whose outcome is unknown. */
  readonly unknown: readonly number[];
  readonly items: readonly number[];
}

/** What is written in one transaction when a part is published. */
export interface Publication {
  readonly draft: PartDraft;
  readonly nextEpoch: number;
  /** The records of all items that are still open, which replace all records of the shard. */
  readonly snapshot: RecordGroup;
  readonly ended: Uint8Array;
  /** True when every item of the shard has ended or is unknown. */
  readonly done: boolean;
}

/** Takes over a shard: items that were about to be sent become unknown, and that is recorded. */
export function holdShard(claimed: ClaimedShard) {
  const { shard, firstItem, items } = claimed;
  let { epoch } = claimed;
  const ended = createBitmap(items, claimed.ended);
  const alreadyEnded = ended.count();
  const valid = items - claimed.invalid;
  const states = createItemStates(valid - alreadyEnded, items);
  const open = new Map<number, OpenItem>();
  const index = (item: number): number => item - firstItem + 1;
  let pending: EventRecord[] = [];
  let number = 0;
  let kept: KeptResult[] = [];
  let keptBytes = 0;
  let drafted: readonly KeptResult[] = [];
  let draftedBytes = 0;
  let publishedUnknown = 0;

  const note = (record: EventRecord): void => {
    const after = afterRecord(open.get(record.item), record);
    if (after === undefined) open.delete(record.item);
    else open.set(record.item, after);
  };
  const apply = (item: number, event: ItemEvent, data: EventData = {}): ItemState | undefined => {
    if (ended.has(index(item) - 1) || !states.apply(index(item), event)) return undefined;
    const record = recordOf(item, event, data);
    if (record !== undefined) {
      note(record);
      pending.push(record);
    }
    return states.stateOf(index(item));
  };

  for (const record of claimed.records) {
    states.apply(index(record.item), record.event);
    note(record);
  }
  for (const [item, { state }] of [...open]) if (state === 'sending') apply(item, { kind: 'lose' });

  return {
    shard,
    epoch: (): number => epoch,
    has: (item: number): boolean => item >= firstItem && item < firstItem + items,
    /** True for an item that no driver has sent yet. */
    isWaiting: (item: number): boolean => !ended.has(index(item) - 1) && states.stateOf(index(item)) === 'waiting',
    stateOf: (item: number): ItemState => states.stateOf(index(item)),
    states,
    /** Jobs that the service has according to the records. */
    jobs: (): readonly KnownJob[] => jobsOf(open),
    /** Applies an event. Returns the state after it; undefined when it is not possible, and then nothing changes. */
    apply,
    /** Takes back an intent whose record was not written. */
    forgetIntent: (item: number): void => {
      states.apply(index(item), { kind: 'withdraw' });
      open.delete(item);
    },
    /**
     * Applies the end of an item and keeps its result until it is published; `at` is the date of the end. Returns as `apply`
     * does; undefined also for the result of another job.
     */
    end: ({ item, job }: LineOwner, event: EndEvent, line: string, at: EpochMs): ItemState | undefined => {
      const sent = open.get(item);
      if (event.kind === 'end' && !(sent?.state === 'submitted' && sent.job === job)) return undefined;
      const state = apply(item, event);
      if (state === undefined) return undefined;
      kept.push({ item, event, line, at });
      keptBytes += line.length;
      return state;
    },
    /** Items that were sent, by this driver or an earlier one, and have no published end. */
    sentItems: (): readonly number[] => [...open.keys()],
    /** Returns the records since the last call; undefined without any. */
    takeRecords: (): RecordGroup | undefined => {
      if (pending.length === 0) return undefined;
      const events = pending;
      pending = [];
      return { epoch, number: number++, changes: changesOf(events), events };
    },
    /** Bytes of the results that are kept, approximately, with those of a draft that is not published yet. */
    keptBytes: (): number => keptBytes + draftedBytes,
    /** Whether there is anything to publish that is in no draft. */
    hasUnpublished: (): boolean => kept.length > 0 || states.count('unknown') > publishedUnknown,
    /** What happened since the records were last taken and the results last published. */
    unwritten: (): Unwritten => {
      const results = [...drafted, ...kept];
      const endedJobs = results.filter(({ event }) => event.kind === 'end').length;
      return { ends: countsOf(results), endedJobs, changes: changesOf(pending) };
    },
    /** True when every item has ended or is unknown, published or not. */
    isComplete: (): boolean => states.count('waiting') + states.count('sending') + states.count('submitted') === 0,
    /** Takes the results that are kept. They are published together; a second draft needs the first to be published. */
    draft: (): PartDraft => {
      const taken = kept;
      [drafted, draftedBytes] = [kept, keptBytes];
      [kept, keptBytes] = [[], 0];
      return {
        epoch,
        lines: taken.map(({ line }) => line),
        counts: countsOf(taken),
        ends: endsBySecond(
          taken.map(({ event, at }) => ({ at, completed: event.kind === 'end' && event.ending === 'completed' })),
        ),
        unknown: [...open].flatMap(([item, { state }]) => (state === 'unknown' ? [item] : [])),
        items: taken.map(({ item }) => item),
      };
    },
    /** Moves to the next epoch. Records that were not taken yet are in the snapshot. */
    publish: (draft: PartDraft): Publication => {
      for (const item of [...draft.items, ...draft.unknown]) {
        open.delete(item);
        ended.add(index(item) - 1);
      }
      publishedUnknown += draft.unknown.length;
      [drafted, draftedBytes] = [[], 0];
      pending = [];
      epoch += 1;
      const events = [...open].flatMap(([item, openItem]) => eventsTo(item, openItem));
      const snapshot = { epoch, number: 0, changes: changesOf(events), events };
      number = 1;
      return { draft, nextEpoch: epoch, snapshot, ended: ended.bytes(), done: ended.count() === valid };
    },
  };
}

/**
 * A shard that this driver holds: pure state, no I/O. What was recorded under an epoch is never recorded under another:
 * a publication replaces all records by those of the next epoch. Items are numbered as in the batch.
 */
export type HeldShard = ReturnType<typeof holdShard>;

interface KeptResult {
  readonly item: number;
  readonly event: EndEvent;
  readonly line: string;
  readonly at: EpochMs;
}

function countsOf(results: readonly KeptResult[]): PartCounts {
  const counts = { completed: 0, failed: 0, cancelled: 0, timedOut: 0, expired: 0 };
  for (const { event } of results) counts[event.kind === 'end' ? event.ending : 'failed'] += 1;
  return counts;
}

/** How many items of a part ended in a second. */
export type EndsInSecond = readonly [
  /** When the second begins, in seconds since the epoch. */
  at: EpochMs,
  completed: number,
  notCompleted: number,
];

/** Counts ends by the second in which they were. `at` is in milliseconds since the epoch. */
function endsBySecond(ends: readonly { readonly at: EpochMs; readonly completed: boolean }[]): readonly EndsInSecond[] {
  const counts = new Map<number, [completed: number, notCompleted: number]>();
  for (const { at, completed } of ends) {
    const second = Math.floor(at / 1000);
    const count = counts.get(second) ?? [0, 0];
    count[completed ? 0 : 1] += 1;
    counts.set(second, count);
  }
  return [...counts].map(([at, [completed, notCompleted]]) => [at, completed, notCompleted]);
}

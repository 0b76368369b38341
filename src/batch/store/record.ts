import { crc32 } from 'node:zlib';
import type { BatchSettings, BatchTarget, Shard } from '../model/batch.ts';
import type { Ending, ItemEvent } from '../model/item-states.ts';
import type { CheckedInput, SharedFormat } from '../read/inputs.ts';
import { isObject } from '../../core/json.ts';
import type { Bytes, EpochMs } from '../../core/unit-types.ts';
import type { DollarRange } from '../../core/units.ts';

/** Not needed to determine the next state. */
export interface EventData {
  /** JSON text of the item's label, with `send`. */
  readonly id?: string | undefined;
  /** With `accept` and `retry`, and with an end whose time is known. */
  readonly at?: EpochMs | undefined;
  /** Length of the results file including the item's line, with `end` and `refuse`. */
  readonly resultBytes?: Bytes | undefined;
  /** CRC-32 of the results file up to that length. */
  readonly checksum?: number | undefined;
}

export interface EventRecord {
  readonly item: number;
  readonly event: ItemEvent;
  readonly data: EventData;
}

/** The form of journals. Another one is not read. */
export const VERSION = 4;

/** The first record of its journal, never changed. */
export interface BatchHeader extends BatchTarget {
  readonly version: typeof VERSION;
  readonly input: InputIdentity;
  /** JSON text, as `optionsText` returns it: what the size of each item was checked with. */
  readonly extras: string;
  readonly settings: BatchSettings;
  readonly planned: number;
  readonly invalid: number;
  /** `items`: of the whole input. `planned` and `invalid` are of the shard alone. */
  readonly shard?: Shard & { readonly items: number };
  readonly ordered: boolean;
  readonly createdAt: EpochMs;
}

export interface InputIdentity extends SharedFormat {
  /** A copy of an input that can be read only once: it belongs to the batch. */
  readonly copied?: boolean;
  /** The path of a file is as `storedInputPath` returns it. */
  readonly inputs: readonly CheckedInput[];
}

/** In the order of events. */
export type JournalRecord =
  | { readonly kind: 'header'; readonly header: BatchHeader }
  | ({ readonly kind: 'event' } & EventRecord)
  /** Those given anew; the others stay. */
  | { readonly kind: 'settings'; readonly settings: BatchSettings }
  /** The price of a worker per hour from here on, in US dollars: for the cost of the batch. */
  | { readonly kind: 'price'; readonly perHour: DollarRange }
  /** The results file is about to be replaced by its sorted copy, which has this length and CRC-32. */
  | { readonly kind: 'ordered'; readonly bytes: number; readonly checksum: number };

/** CRC-32, byte length, JSON, line feed. `seed`: the previous checksum where chained, otherwise 0. */
export function encodeRecord(record: JournalRecord, seed = 0) {
  const json = JSON.stringify(toArray(record));
  const sum = crc32(json, seed);
  return { line: `${hex(sum)} ${String(Buffer.byteLength(json))} ${json}\n`, sum };
}

/** Undefined for an incomplete or corrupt record, for another seed, and for a header of another form. */
export function decodeRecord(line: Uint8Array, seed = 0): JournalRecord | undefined {
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8');
  const [, sum, length, json = ''] = /^([0-9a-f]{8}) (\d{1,9}) (.*)$/s.exec(text) ?? [];
  if (Buffer.byteLength(json) !== Number(length) || checksum(json, seed) !== sum) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? fromArray(value) : undefined;
  } catch {
    return undefined;
  }
}

export const checksum = (text: string, seed: number): string => hex(crc32(text, seed));

export const hex = (sum: number): string => sum.toString(16).padStart(8, '0');

/** What the next checksum begins with where records are chained. */
export const checksumOfRecord = (line: string): number => Number.parseInt(line.slice(0, 8), 16);

/** After the code and the item. Names as in `ItemEvent` and `EventData`. */
interface Members extends Required<EventData> {
  readonly job: string;
  readonly ending: Ending;
}

const isOfEvent = (name: string): boolean => name === 'job' || name === 'ending';

/** The code of an event, and its members in their order. Those at the end may be missing. */
const EVENTS: Readonly<Record<ItemEvent['kind'], readonly [code: string, ...members: (keyof Members)[]]>> = {
  send: ['i', 'id'],
  withdraw: ['w'],
  accept: ['s', 'job', 'at'],
  refuse: ['x', 'resultBytes', 'checksum', 'at'],
  lose: ['u'],
  end: ['e', 'ending', 'resultBytes', 'checksum', 'at'],
  retry: ['r', 'job', 'at'],
  resubmit: ['a'],
};
const KINDS = new Map<unknown, ItemEvent['kind']>(
  (Object.keys(EVENTS) as ItemEvent['kind'][]).map((kind) => [EVENTS[kind][0], kind]),
);

function toArray(record: JournalRecord): readonly unknown[] {
  switch (record.kind) {
    case 'header':
      return ['berth batch', record.header];
    case 'settings':
      return ['l', record.settings];
    case 'price':
      return ['p', record.perHour.low, record.perHour.high];
    case 'ordered':
      return ['o', record.bytes, record.checksum];
    case 'event': {
      const { item, event, data } = record;
      const [code, ...names] = EVENTS[event.kind];
      const valueOf = (name: keyof Members): unknown => ((isOfEvent(name) ? event : data) as Partial<Members>)[name];
      const values = names.map((name) => valueOf(name) ?? (name === 'resultBytes' ? 0 : null));
      while (values.at(-1) === null) values.pop();
      return [code, item, ...values];
    }
  }
}

/** What a right checksum has is as it was written. */
function fromArray([code, first, ...members]: readonly unknown[]): JournalRecord | undefined {
  switch (code) {
    case 'berth batch':
      if (!isObject(first) || first['version'] !== VERSION) return undefined;
      return { kind: 'header', header: first as unknown as BatchHeader };
    case 'l':
      return { kind: 'settings', settings: first as BatchSettings };
    case 'p':
      return { kind: 'price', perHour: { low: Number(first), high: Number(members[0]) } };
    case 'o':
      return { kind: 'ordered', bytes: Number(first), checksum: Number(members[0]) };
  }
  const kind = KINDS.get(code);
  if (kind === undefined) return undefined;
  const event: Record<string, unknown> = { kind };
  const data: Record<string, unknown> = {};
  for (const [at, member] of members.entries()) {
    const name = EVENTS[kind][at + 1];
    if (name === undefined || member === null) continue;
    (isOfEvent(name) ? event : data)[name] = member;
  }
  return { kind: 'event', item: Number(first), event: event as unknown as ItemEvent, data };
}

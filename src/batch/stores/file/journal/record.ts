import { crc32 } from 'node:zlib';
import type { StoredObject } from '../../../../core/context.ts';
import type { DollarRange } from '../../../../core/units.ts';
import type { BatchTarget } from '../../../model/store.ts';
import type { SharedFormat } from '../../../read/inputs.ts';
import type { ItemRange } from '../../../read/range.ts';
import type { Ending, ItemEvent } from '../../../model/item-states.ts';
import type { EventData } from '../../../model/run-records.ts';

/** The identity of a batch: the first record of its journal, never changed. */
export interface BatchHeader extends BatchTarget {
  /** 2: the checksum of each record goes on from that of the record before, so that a missing one is noticed. */
  readonly version: 1 | 2;
  readonly input: InputIdentity;
  /** JSON text of the members that every submission has in addition to its input, as `optionsText` returns it. */
  readonly extras: string;
  /** Number of items that can be sent. */
  readonly planned: number;
  /** Number of items that cannot be sent. */
  readonly invalid: number;
  readonly ordered: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Identifies the input: another file has another length or digest. Earlier versions did not store the types of CSV columns. */
export interface InputIdentity extends SharedFormat {
  /** As `storedInputPath` returns it; for piped input, the path of the copy. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** True when the only input is a copy of one that can be read only once: it belongs to the batch. */
  readonly copied?: boolean;
  /** All inputs; earlier versions did not store one plain file here. `path` is that of the first. */
  readonly inputs?: readonly StoredInput[];
}

/** One of several inputs. The path of a file is as `storedInputPath` returns it. */
export interface StoredInput {
  readonly object: StoredObject;
  readonly format: InputIdentity['format'];
  /** What is read of it, and the number of its first item; undefined when it has no items. */
  readonly range?: ItemRange;
}

/** One line of a journal. Records are in the order of events. */
export type JournalRecord =
  | { readonly kind: 'header'; readonly header: BatchHeader }
  /** An event of an item. */
  | { readonly kind: 'event'; readonly item: number; readonly event: ItemEvent; readonly data: EventData }
  /** The price of a worker per hour from here on, in US dollars: for the cost of the batch. */
  | { readonly kind: 'price'; readonly perHour: DollarRange }
  /** The results file is about to be replaced by its sorted copy, which has this length and CRC-32. */
  | { readonly kind: 'ordered'; readonly bytes: number; readonly checksum?: number | undefined };

const CODES = {
  send: 'i',
  withdraw: 'w',
  accept: 's',
  refuse: 'x',
  lose: 'u',
  end: 'e',
  retry: 'r',
  find: 'f',
  resubmit: 'a',
};
const KINDS = new Map(Object.entries(CODES).map(([kind, code]) => [code, kind as ItemEvent['kind']]));

/**
 * Encodes a record as a line: CRC-32 of the JSON, its length in bytes, the JSON, a line feed. The checksum begins with `seed`:
 * that of the record before where records are chained, 0 otherwise and for the header.
 */
export function encodeRecord(record: JournalRecord, seed = 0): string {
  const frequent = record.kind === 'event' ? frequentJson(record) : undefined;
  if (frequent !== undefined) return `${checksum(frequent, seed)} ${String(frequent.length)} ${frequent}\n`;
  const json = JSON.stringify(toArray(record));
  return `${checksum(json, seed)} ${String(Buffer.byteLength(json))} ${json}\n`;
}

/**
 * The JSON of the two records that every item has, when it is ASCII without escapes; the same text as `toArray` gives.
 * Undefined for any other record.
 */
function frequentJson({ item, event, data: { id, at } }: JournalRecord & { kind: 'event' }): string | undefined {
  if (event.kind === 'send' && id === undefined) return `["${CODES.send}",${String(item)}]`;
  if (event.kind === 'accept' && PLAIN_JOB_ID.test(event.job) && Number.isSafeInteger(at))
    return `["${CODES.accept}",${String(item)},"${event.job}",${String(at)}]`;
  return undefined;
}

const PLAIN_JOB_ID = /^[\w-]+$/;

/** The checksum of a line that `encodeRecord` returned: what the next one begins with where records are chained. */
export const checksumOfRecord = (line: string): number => Number.parseInt(line.slice(0, 8), 16);

const partsOf = (line: Uint8Array): { readonly sum: string; readonly json: string } | undefined => {
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8');
  const [, sum, length, json] = /^([0-9a-f]{8}) (\d{1,9}) (.*)$/s.exec(text) ?? [];
  return sum === undefined || json === undefined || Buffer.byteLength(json) !== Number(length)
    ? undefined
    : { sum, json };
};

/** Whether a line without its line feed has the form of a record, whatever its checksum begins with. */
export function isWholeRecord(line: Uint8Array): boolean {
  const json = partsOf(line)?.json;
  try {
    return json !== undefined && Array.isArray(JSON.parse(json));
  } catch {
    return false;
  }
}

/** Decodes a line without its line feed. Returns undefined for an incomplete or invalid record, and for another seed. */
export function decodeRecord(line: Uint8Array, seed = 0): JournalRecord | undefined {
  const { sum, json } = partsOf(line) ?? {};
  if (json === undefined || checksum(json, seed) !== sum) return undefined;
  try {
    return fromArray(JSON.parse(json) as readonly unknown[]);
  } catch {
    return undefined;
  }
}

/** Returns the CRC-32 as eight hexadecimal digits. A table is much faster than `toString(16)` of a large number. */
function checksum(text: string, seed: number): string {
  const sum = crc32(text, seed);
  return hex(sum >>> 24) + hex(sum >>> 16) + hex(sum >>> 8) + hex(sum);
}

const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const hex = (bits: number): string => HEX_BYTES[bits & 0xff] ?? '';

function toArray(record: JournalRecord): readonly unknown[] {
  switch (record.kind) {
    case 'header':
      return ['berth batch', record.header];
    case 'price':
      return ['p', record.perHour.low, record.perHour.high];
    case 'ordered':
      return ['o', record.bytes, ...optional(record.checksum)];
    case 'event':
      return eventToArray(record);
  }
}

function eventToArray({ item, event, data }: JournalRecord & { kind: 'event' }): readonly unknown[] {
  const code = CODES[event.kind];
  switch (event.kind) {
    case 'send':
      return [code, item, ...optional(data.id)];
    case 'accept':
      return [code, item, event.job, data.at ?? 0];
    case 'retry':
    case 'find':
      return [code, item, event.job, data.at ?? 0, ...optional(data.id)];
    case 'end':
      return [code, item, event.ending, data.resultBytes ?? 0, ...checksumAndDate(data)];
    case 'refuse':
      return [code, item, data.resultBytes ?? 0, ...checksumAndDate(data)];
    case 'withdraw':
    case 'lose':
    case 'resubmit':
      return [code, item];
  }
}

/** The date comes last, because earlier versions did not write it. */
const checksumAndDate = ({ checksum, at }: EventData): readonly unknown[] =>
  at === undefined ? optional(checksum) : [checksum ?? null, at];

const optional = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value]);

function fromArray([code, first, second, third, fourth, fifth]: readonly unknown[]): JournalRecord | undefined {
  if (code === 'berth batch') return { kind: 'header', header: first as BatchHeader };
  if (code === 'o') return { kind: 'ordered', bytes: Number(first), checksum: second as number | undefined };
  if (code === 'p') return { kind: 'price', perHour: { low: Number(first), high: Number(second) } };
  const kind = KINDS.get(String(code));
  if (kind === undefined || typeof first !== 'number') return undefined;
  const item = first;
  switch (kind) {
    case 'send':
      return { kind: 'event', item, event: { kind }, data: { id: second as string | undefined } };
    case 'accept':
      return { kind: 'event', item, event: { kind, job: String(second) }, data: { at: Number(third) } };
    case 'end':
      return {
        kind: 'event',
        item,
        event: { kind, ending: second as Ending },
        data: endData(third, fourth, fifth),
      };
    case 'refuse':
      return {
        kind: 'event',
        item,
        event: { kind },
        data: endData(second, third, fourth),
      };
    case 'retry':
    case 'find': {
      const data = { at: Number(third), id: fourth as string | undefined };
      return { kind: 'event', item, event: { kind, job: String(second) }, data };
    }
    case 'withdraw':
    case 'lose':
    case 'resubmit':
      return { kind: 'event', item, event: { kind }, data: {} };
  }
}

const endData = (resultBytes: unknown, checksum: unknown, at: unknown): EventData => ({
  resultBytes: Number(resultBytes),
  checksum: (checksum ?? undefined) as number | undefined,
  ...(at === undefined ? {} : { at: Number(at) }),
});

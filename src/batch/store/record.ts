import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { EpochMs } from '../../core/unit-types.ts';
import type { DollarRange } from '../../core/units.ts';
import type { BatchTarget } from '../model/batch.ts';
import type { CheckedInput, SharedFormat } from '../read/inputs.ts';
import { COLUMN_TYPES, INPUT_FORMATS, type InputFormat } from '../read/items/item.ts';
import { EVENT_CODES, eventFromArray, eventToArray, isCount, isText, type EventRecord } from './event-record.ts';

/** The identity of a batch: the first record of its journal, never changed. */
export interface BatchHeader extends BatchTarget {
  /** 2: the checksum of each record goes on from that of the record before, so that a missing one is noticed. */
  readonly version: 1 | 2;
  readonly input: InputIdentity;
  /** JSON text of the members that every submission has in addition to its input, as `optionsText` returns it. */
  readonly extras: string;
  readonly planned: number;
  readonly invalid: number;
  readonly ordered: boolean;
  readonly createdAt: EpochMs;
}

/** Whether two headers are those of one batch: another one may have been begun in its place since the first was read. */
export const isSameBatch = (one: BatchHeader, other: BatchHeader): boolean => isDeepStrictEqual(one, other);

/** How the inputs are read, and what identifies them. */
export interface InputIdentity extends SharedFormat {
  /** True when the only input is a copy of one that can be read only once: it belongs to the batch. */
  readonly copied?: boolean;
  /** The path of a file is as `storedInputPath` returns it. */
  readonly inputs: readonly CheckedInput[];
}

/** One line of a journal. Records are in the order of events. */
export type JournalRecord =
  | { readonly kind: 'header'; readonly header: BatchHeader }
  | ({ readonly kind: 'event' } & EventRecord)
  /** The price of a worker per hour from here on, in US dollars: for the cost of the batch. */
  | { readonly kind: 'price'; readonly perHour: DollarRange }
  /** The results file is about to be replaced by its sorted copy, which has this length and CRC-32. */
  | { readonly kind: 'ordered'; readonly bytes: number; readonly checksum?: number | undefined };

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
  if (event.kind === 'send' && id === undefined) return `["${EVENT_CODES.send}",${String(item)}]`;
  if (event.kind === 'accept' && PLAIN_JOB_ID.test(event.job) && Number.isSafeInteger(at))
    return `["${EVENT_CODES.accept}",${String(item)},"${event.job}",${String(at)}]`;
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

/** The header of a journal in a form that this version does not know. */
interface OtherVersion {
  readonly kind: 'other-version';
  readonly version: number;
}

/** Decodes a line without its line feed. Returns undefined for an incomplete or invalid record, and for another seed. */
export function decodeRecord(line: Uint8Array, seed = 0): JournalRecord | OtherVersion | undefined {
  const { sum, json } = partsOf(line) ?? {};
  if (json === undefined || checksum(json, seed) !== sum) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? fromArray(value) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the CRC-32 as eight hexadecimal digits. A table is much faster than `toString(16)` of a large number. */
export function checksum(text: string, seed: number): string {
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
      return ['o', record.bytes, ...(record.checksum === undefined ? [] : [record.checksum])];
    case 'event':
      return eventToArray(record);
  }
}

/** Returns undefined for what is no record: a program that is not berth can have written a line with a right checksum. */
function fromArray(members: readonly unknown[]): JournalRecord | OtherVersion | undefined {
  const [code, first, second] = members;
  if (code === 'berth batch') return headerFrom(first);
  if (code === 'o')
    return isCount(first) && (second === undefined || isCount(second))
      ? { kind: 'ordered', bytes: first, checksum: second }
      : undefined;
  if (code === 'p')
    return isCount(first) && isCount(second) ? { kind: 'price', perHour: { low: first, high: second } } : undefined;
  const record = eventFromArray(members);
  return record === undefined ? undefined : { kind: 'event', ...record };
}

function headerFrom(value: unknown): JournalRecord | OtherVersion | undefined {
  if (!hasFacts(value)) return undefined;
  const { version } = value;
  if (version !== 1 && version !== 2) return { kind: 'other-version', version };
  return isHeader(value) ? { kind: 'header', header: value } : undefined;
}

/** What the header of every version has. */
const hasFacts = (value: unknown): value is JsonObject & { readonly version: number } =>
  isObject(value) &&
  ['endpoint', 'endpointId', 'service', 'extras'].every((name) => isText(value[name])) &&
  ['version', 'planned', 'invalid', 'createdAt'].every((name) => isCount(value[name]));

const isHeader = (value: object): value is BatchHeader =>
  'input' in value && isIdentity(value.input) && 'ordered' in value && typeof value.ordered === 'boolean';

const isIdentity = (value: unknown): value is InputIdentity =>
  isSharedFormat(value) && 'inputs' in value && Array.isArray(value.inputs) && value.inputs.every(isCheckedInput);

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);

const isFormat = (value: unknown): value is InputFormat['format'] => INPUT_FORMATS.some((format) => format === value);

/** How all inputs of a batch are read. */
const isSharedFormat = (value: unknown): value is SharedFormat =>
  isObject(value) &&
  [value['inputField'], value['idField']].every(isTextOrAbsent) &&
  (value['exported'] === undefined || typeof value['exported'] === 'boolean') &&
  (value['types'] === undefined ||
    (isObject(value['types']) &&
      Object.values(value['types']).every((type) => COLUMN_TYPES.some((known) => known === type))));

const isCheckedInput = (value: unknown): value is CheckedInput =>
  isObject(value) &&
  isFormat(value['format']) &&
  [value['address'], value['version'], value['digest']].every(isText) &&
  [value['bytes'], value['firstItem'], value['items']].every(isWhole);

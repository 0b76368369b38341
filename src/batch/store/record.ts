import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import type { BatchTarget } from '../model/batch.ts';
import { type Ending, ENDINGS, type ItemEvent } from '../model/item-states.ts';
import type { CheckedInput, SharedFormat } from '../read/inputs.ts';
import { COLUMN_TYPES, INPUT_FORMATS, type InputFormat } from '../read/items.ts';
import { isObject } from '../../core/json.ts';
import type { Bytes, EpochMs } from '../../core/unit-types.ts';
import type { DollarRange } from '../../core/units.ts';

/** Not needed to determine the next state. */
export interface EventData {
  /** JSON text of the item's label, with `send`, `retry` and `find`. */
  readonly id?: string | undefined;
  /** With `accept`, `retry` and `find`, and with an end whose time is known. */
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

const EVENT_CODES = {
  send: 'i',
  withdraw: 'w',
  accept: 's',
  refuse: 'x',
  lose: 'u',
  end: 'e',
  retry: 'r',
  find: 'f',
  resubmit: 'a',
} as const satisfies Readonly<Record<ItemEvent['kind'], string>>;

/** After the code and the item. Names as in `ItemEvent` and `EventData`. */
interface Members extends Required<EventData> {
  readonly job: string;
  readonly ending: Ending;
}

/** In their order. Those at the end may be missing. */
const MEMBERS: Readonly<Record<ItemEvent['kind'], readonly (keyof Members)[]>> = {
  send: ['id'],
  withdraw: [],
  accept: ['job', 'at'],
  refuse: ['resultBytes', 'checksum', 'at'],
  lose: [],
  end: ['ending', 'resultBytes', 'checksum', 'at'],
  retry: ['job', 'at', 'id'],
  find: ['job', 'at', 'id'],
  resubmit: [],
};
const KINDS = new Map<unknown, ItemEvent['kind']>(
  (Object.keys(MEMBERS) as ItemEvent['kind'][]).map((kind) => [EVENT_CODES[kind], kind]),
);

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0;
const isEnding = (value: unknown): value is Ending => ENDINGS.some((ending) => ending === value);

const CHECKS: { readonly [Name in keyof Members]: (value: unknown) => value is Members[Name] } = {
  ...{ id: isText, job: isText, ending: isEnding },
  ...{ at: isCount, resultBytes: isCount, checksum: isCount },
};

/** Without unknown members at its end. */
function eventToArray({ item, event, data }: EventRecord): readonly unknown[] {
  const known: Partial<Members> = { ...data, ...event };
  const members = MEMBERS[event.kind].map((name) => known[name] ?? (name === 'resultBytes' ? 0 : null));
  return [EVENT_CODES[event.kind], item, ...members.slice(0, 1 + members.findLastIndex((member) => member !== null))];
}

/** Undefined for anything else: another program may have written it. */
function eventFromArray(members: readonly unknown[]): EventRecord | undefined {
  const [code, item] = members;
  const kind = KINDS.get(code);
  if (kind === undefined || !isCount(item)) return undefined;
  const known: { [Name in keyof Members]?: Members[Name] } = {};
  for (const [at, name] of MEMBERS[kind].entries())
    if (!setMember(known, name, members[at + 2] ?? undefined)) return undefined;
  const { job, ending, ...data } = known;
  const event = eventOf(kind, job, ending);
  return event === undefined ? undefined : { item, event, data };
}

function setMember<Name extends keyof Members>(
  known: { [Each in Name]?: Members[Each] },
  name: Name,
  value: unknown,
): boolean {
  if (value === undefined) return true;
  const check: (given: unknown) => given is Members[Name] = CHECKS[name];
  if (!check(value)) return false;
  known[name] = value;
  return true;
}

function eventOf(kind: ItemEvent['kind'], job: string | undefined, ending: Ending | undefined): ItemEvent | undefined {
  switch (kind) {
    case 'accept':
    case 'retry':
    case 'find':
      return job === undefined ? undefined : { kind, job };
    case 'end':
      return ending === undefined ? undefined : { kind, ending };
    default:
      return { kind };
  }
}

/** The first record of its journal, never changed. */
/** The form of journals. Another one is not read. */
export const VERSION = 3;

export interface BatchHeader extends BatchTarget {
  readonly version: typeof VERSION;
  readonly input: InputIdentity;
  /** JSON text, as `optionsText` returns it. */
  readonly extras: string;
  readonly planned: number;
  readonly invalid: number;
  readonly ordered: boolean;
  readonly createdAt: EpochMs;
}

/** Another batch may have replaced it since the first header was read. */
export const isSameBatch = (one: BatchHeader, other: BatchHeader): boolean => isDeepStrictEqual(one, other);

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
  /** The price of a worker per hour from here on, in US dollars: for the cost of the batch. */
  | { readonly kind: 'price'; readonly perHour: DollarRange }
  /** The results file is about to be replaced by its sorted copy, which has this length and CRC-32. */
  | { readonly kind: 'ordered'; readonly bytes: number; readonly checksum: number };

/** CRC-32, byte length, JSON, line feed. `seed`: the previous checksum where chained, otherwise 0. */
export function encodeRecord(record: JournalRecord, seed = 0): string {
  const frequent = record.kind === 'event' ? frequentJson(record) : undefined;
  if (frequent !== undefined) return `${checksum(frequent, seed)} ${String(frequent.length)} ${frequent}\n`;
  const json = JSON.stringify(toArray(record));
  return `${checksum(json, seed)} ${String(Buffer.byteLength(json))} ${json}\n`;
}

/** For the two frequent records in ASCII without escapes, as `toArray` gives it; else undefined. */
function frequentJson({ item, event, data: { id, at } }: JournalRecord & { kind: 'event' }): string | undefined {
  if (event.kind === 'send' && id === undefined) return `["${EVENT_CODES.send}",${String(item)}]`;
  if (event.kind === 'accept' && PLAIN_JOB_ID.test(event.job) && Number.isSafeInteger(at))
    return `["${EVENT_CODES.accept}",${String(item)},"${event.job}",${String(at)}]`;
  return undefined;
}

const PLAIN_JOB_ID = /^[\w-]+$/;

/** What the next checksum begins with where records are chained. */
export const checksumOfRecord = (line: string): number => Number.parseInt(line.slice(0, 8), 16);

const partsOf = (line: Uint8Array): { readonly sum: string; readonly json: string } | undefined => {
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8');
  const [, sum, length, json] = /^([0-9a-f]{8}) (\d{1,9}) (.*)$/s.exec(text) ?? [];
  return sum === undefined || json === undefined || Buffer.byteLength(json) !== Number(length)
    ? undefined
    : { sum, json };
};

/** Without its line feed, whatever its checksum begins with. */
export function isWholeRecord(line: Uint8Array): boolean {
  const json = partsOf(line)?.json;
  try {
    return json !== undefined && Array.isArray(JSON.parse(json));
  } catch {
    return false;
  }
}

interface OtherVersion {
  readonly kind: 'other-version';
  readonly version: number;
}

/** Undefined for an incomplete or corrupt record, and for another seed. */
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

/** A table is much faster than `toString(16)` of a large number. */
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
      return ['o', record.bytes, record.checksum];
    case 'event':
      return eventToArray(record);
  }
}

/** Undefined for anything else: another program may have written it with a right checksum. */
function fromArray(members: readonly unknown[]): JournalRecord | OtherVersion | undefined {
  const [code, first, second] = members;
  if (code === 'berth batch') return headerFrom(first);
  if (code === 'o')
    return isCount(first) && isCount(second) ? { kind: 'ordered', bytes: first, checksum: second } : undefined;
  if (code === 'p')
    return isCount(first) && isCount(second) ? { kind: 'price', perHour: { low: first, high: second } } : undefined;
  const record = eventFromArray(members);
  return record === undefined ? undefined : { kind: 'event', ...record };
}

function headerFrom(value: unknown): JournalRecord | OtherVersion | undefined {
  if (!isObject(value) || !isCount(value['version'])) return undefined;
  if (value['version'] !== VERSION) return { kind: 'other-version', version: value['version'] };
  return isHeader(value) ? { kind: 'header', header: value } : undefined;
}

const isHeader = (value: object): value is BatchHeader =>
  isObject(value) &&
  ['endpoint', 'endpointId', 'service', 'extras'].every((name) => isText(value[name])) &&
  ['planned', 'invalid', 'createdAt'].every((name) => isCount(value[name])) &&
  typeof value['ordered'] === 'boolean' &&
  isIdentity(value['input']);

const isIdentity = (value: unknown): value is InputIdentity =>
  isSharedFormat(value) && 'inputs' in value && Array.isArray(value.inputs) && value.inputs.every(isCheckedInput);

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);

const isFormat = (value: unknown): value is InputFormat['format'] => INPUT_FORMATS.some((format) => format === value);

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
  [value['path'], value['digest']].every(isText) &&
  [value['bytes'], value['firstItem'], value['items']].every(isWhole);

import { crc32 } from 'node:zlib';
import type { Ending, ItemEvent } from '../items/item-state-machine.ts';

/** What a batch is: written once, at the head of its journal. */
export interface BatchHeader {
  readonly version: 1;
  /** As the user named it, and the id it stands for. */
  readonly endpoint: string;
  readonly endpointId: string;
  /** The address of the queue API that the batch was begun at. */
  readonly service: string;
  readonly input: InputIdentity;
  /** Members that every submission carries beside its input. */
  readonly extras: string;
  /** Items that can be sent, and places in the input that hold none. */
  readonly planned: number;
  readonly invalid: number;
  readonly ordered: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** What a header says in place of an address where a batch ran on the local service in its own process. */
export const LOCAL_SERVICE = 'the local service';

/** The input, told apart from any other. */
export interface InputIdentity {
  /** From the folder of the results where it lies in or below it, else from the root; of what was piped in, the copy. */
  readonly path: string;
  readonly format: 'jsonl' | 'csv';
  readonly inputField?: string;
  readonly idField?: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** One line of a journal, in the order things happened. */
export type JournalRecord =
  | { readonly kind: 'header'; readonly header: BatchHeader }
  /** What happened to an item. */
  | { readonly kind: 'event'; readonly item: number; readonly event: ItemEvent; readonly more: EventFacts }
  /** The results file is about to be put in the order of the input; it then has so many bytes. */
  | { readonly kind: 'ordered'; readonly bytes: number; readonly checksum?: number | undefined };

/** What is kept of an event beside the event. */
export interface EventFacts {
  /** JSON text of the item's own id, with `send` and `retry`. */
  readonly id?: string | undefined;
  /** Milliseconds since the epoch, with `accept` and `retry`. */
  readonly at?: number | undefined;
  /** Bytes that the results file had with this item's line, with `end` and `refuse`. */
  readonly resultBytes?: number | undefined;
  /** CRC-32 of those bytes, from the first byte of the file on; earlier versions wrote none. */
  readonly checksum?: number | undefined;
}

const CODES = { send: 'i', withdraw: 'w', accept: 's', refuse: 'x', lose: 'u', end: 'e', retry: 'r', resubmit: 'a' };
const KINDS = new Map(Object.entries(CODES).map(([kind, code]) => [code, kind as ItemEvent['kind']]));

/** A record as the journal holds it: its checksum, its length in bytes, its JSON, one line. */
export function encodeRecord(record: JournalRecord): string {
  const json = JSON.stringify(compact(record));
  return `${checksum(json)} ${String(Buffer.byteLength(json))} ${json}\n`;
}

/** The record of a line without its end; undefined where it is not whole, or not one. */
export function decodeRecord(line: Uint8Array): JournalRecord | undefined {
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8');
  const [, sum, length, json] = /^([0-9a-f]{8}) (\d{1,9}) (.*)$/s.exec(text) ?? [];
  if (json === undefined || Buffer.byteLength(json) !== Number(length) || checksum(json) !== sum) return undefined;
  try {
    return expand(JSON.parse(json) as readonly unknown[]);
  } catch {
    return undefined;
  }
}

/** Eight digits. Put together from known pairs: Node takes longer to write a large number in another base than for all else. */
function checksum(text: string): string {
  const sum = crc32(text);
  return pair(sum >>> 24) + pair(sum >>> 16) + pair(sum >>> 8) + pair(sum);
}

const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const pair = (bits: number): string => PAIRS[bits & 0xff] ?? '';

function compact(record: JournalRecord): readonly unknown[] {
  switch (record.kind) {
    case 'header':
      return ['berth batch', record.header];
    case 'ordered':
      return ['o', record.bytes, ...optional(record.checksum)];
    case 'event':
      return compactEvent(record);
  }
}

function compactEvent({ item, event, more }: JournalRecord & { kind: 'event' }): readonly unknown[] {
  const code = CODES[event.kind];
  switch (event.kind) {
    case 'send':
      return [code, item, ...optional(more.id)];
    case 'accept':
      return [code, item, event.job, more.at ?? 0];
    case 'retry':
      return [code, item, event.job, more.at ?? 0, ...optional(more.id)];
    case 'end':
      return [code, item, event.ending, more.resultBytes ?? 0, ...optional(more.checksum)];
    case 'refuse':
      return [code, item, more.resultBytes ?? 0, ...optional(more.checksum)];
    case 'withdraw':
    case 'lose':
    case 'resubmit':
      return [code, item];
  }
}

const optional = <T>(value: T | undefined): readonly T[] => (value === undefined ? [] : [value]);

function expand([code, first, second, third, fourth]: readonly unknown[]): JournalRecord | undefined {
  if (code === 'berth batch') return { kind: 'header', header: first as BatchHeader };
  if (code === 'o') return { kind: 'ordered', bytes: Number(first), checksum: second as number | undefined };
  const kind = KINDS.get(String(code));
  if (kind === undefined || typeof first !== 'number') return undefined;
  const item = first;
  switch (kind) {
    case 'send':
      return { kind: 'event', item, event: { kind }, more: { id: second as string | undefined } };
    case 'accept':
      return { kind: 'event', item, event: { kind, job: String(second) }, more: { at: Number(third) } };
    case 'end':
      return {
        kind: 'event',
        item,
        event: { kind, ending: second as Ending },
        more: { resultBytes: Number(third), checksum: fourth as number | undefined },
      };
    case 'refuse':
      return {
        kind: 'event',
        item,
        event: { kind },
        more: { resultBytes: Number(second), checksum: third as number | undefined },
      };
    case 'retry': {
      const more = { at: Number(third), id: fourth as string | undefined };
      return { kind: 'event', item, event: { kind, job: String(second) }, more };
    }
    case 'withdraw':
    case 'lose':
    case 'resubmit':
      return { kind: 'event', item, event: { kind }, more: {} };
  }
}

import { type Ending, ENDINGS, type ItemEvent } from '../model/item-states.ts';
import type { Bytes, EpochMs } from '../../core/unit-types.ts';

/** Data of an event that is not needed to determine the next state. */
export interface EventData {
  /** JSON text of the item's label, with `send`, `retry` and `find`. */
  readonly id?: string | undefined;
  /** With `accept`, `retry`, `find`, `end` and `refuse`; earlier versions did not store the time of an end. */
  readonly at?: EpochMs | undefined;
  /** Length of the results file including the item's line, with `end` and `refuse`. */
  readonly resultBytes?: Bytes | undefined;
  /** CRC-32 of the results file up to that length. Earlier versions did not store it. */
  readonly checksum?: number | undefined;
}

/** An event of an item, as a line of the journal has it. */
export interface EventRecord {
  readonly item: number;
  readonly event: ItemEvent;
  readonly data: EventData;
}

/** The first member of the array that stands for an event. */
export const EVENT_CODES = {
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

/** What the array has after the code and the item. The names are those of `ItemEvent` and `EventData`. */
interface Members extends Required<EventData> {
  readonly job: string;
  readonly ending: Ending;
}

/** The members of each kind in their order. Those at the end may be missing: earlier versions did not write them. */
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

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0;
const isEnding = (value: unknown): value is Ending => ENDINGS.some((ending) => ending === value);

const CHECKS: { readonly [Name in keyof Members]: (value: unknown) => value is Members[Name] } = {
  ...{ id: isText, job: isText, ending: isEnding },
  ...{ at: isCount, resultBytes: isCount, checksum: isCount },
};

/** Returns the array that stands for an event in JSON, without members at its end that are not known. */
export function eventToArray({ item, event, data }: EventRecord): readonly unknown[] {
  const known: Partial<Members> = { ...data, ...event };
  const members = MEMBERS[event.kind].map((name) => known[name] ?? (name === 'resultBytes' ? 0 : null));
  return [EVENT_CODES[event.kind], item, ...members.slice(0, 1 + members.findLastIndex((member) => member !== null))];
}

/** Returns undefined for what stands for no event: a program that is not berth can have written it. */
export function eventFromArray(members: readonly unknown[]): EventRecord | undefined {
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

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { localFile } from '../../core/failure.ts';
import { isObject } from '../../core/json.ts';
import { berth, sentence } from '../../core/message.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { notFound } from '../contract/problem.ts';

declare const isBare: unique symbol;

/** No prototype: `constructor` and `__proto__` are ordinary keys. Plain objects are not assignable. */
export type Records<T> = Record<string, T> & { readonly [isBare]: true };

export const noRecords = <T>(): Records<T> => Object.create(null) as Records<T>;

export const withoutPrototype = (records: object): unknown => Object.setPrototypeOf(records, null);

export const recordsFrom = <T>(entries: Iterable<readonly [string, T]>): Records<T> =>
  withoutPrototype(Object.fromEntries(entries)) as Records<T>;

/** For the state of --local, which is berth's own file. */
export const START_OVER = sentence`Start over with: ${berth`local reset`}`;

export const STATE_VERSION = 10;

/** JSON; times on the service's clock. Only a resource knows the type of its part: see `createPart`. */
export interface State {
  readonly version: typeof STATE_VERSION;
  readonly since: EpochMs;
  /** Differs after every reset; it is contained in each job's id. */
  readonly generation: string;
  /** The total of `berth local clock advance`. */
  clockOffsetMs: Milliseconds;
  /** The service's time when the state was last used. */
  asOf: EpochMs;
  /** The wall clock at `asOf`. From it follows how long the state was not used. */
  wallAt: EpochMs;
  /** Everything that was due up to this time has been processed. */
  processedTo: EpochMs;
  /** Nothing is due in the queue before; it may be large, and need not be read until then. */
  quietUntil: EpochMs;
  /** Of the account's rate windows, by name. */
  windows?: Record<string, { startedAt: EpochMs; used: number }>;
  /** Grows by one with every id; a reset does not set it back, so no id is used twice. */
  serial: number;
  /** Those of a file are JSON text until a step uses them. */
  readonly parts: Records<unknown>;
}

export type Transact = <T>(step: (state: State, now: EpochMs) => T) => Promise<T>;

interface IdOrigin {
  readonly generation: string;
  readonly serial: number;
}

export const createState = (
  now: EpochMs,
  { generation, serial }: IdOrigin = { generation: '00000000', serial: 0 },
): State => ({
  version: STATE_VERSION,
  since: now,
  generation,
  clockOffsetMs: 0,
  asOf: now,
  wallAt: now,
  processedTo: now,
  quietUntil: now,
  serial,
  parts: noRecords(),
});

/** No id is used twice. `random` returns a number from 0 up to, but not including, 1. */
export function originAfter(previous: State | undefined, random: () => number): IdOrigin {
  const drawn = Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
  const generation = drawn === previous?.generation ? `${drawn}${String(previous.serial)}` : drawn;
  return { generation, serial: previous?.serial ?? 0 };
}

export const nextId = (state: State, prefix: string): string =>
  `${prefix}-${(state.serial += 1).toString(36).padStart(6, '0')}`;

/** Fails with local-file (14). */
function readPart(name: string, text: string): unknown {
  try {
    const part: unknown = JSON.parse(text);
    return isObject(part) ? withoutPrototype(part) : part;
  } catch (error) {
    throw localFile(`the local service's state is damaged: its ${name} cannot be read`, START_OVER, error);
  }
}

/** `seed` is called on first use with the account's creation time (milliseconds since the epoch). */
export const createPart = <T>(name: string, seed: (since: number) => T) => ({
  /** The stored value itself: changes to it are changes of the state. */
  of: (state: State): T => {
    const part = state.parts[name] ?? seed(state.since);
    return (state.parts[name] = typeof part === 'string' ? readPart(name, part) : part) as T;
  },
  isUnread: (state: State): boolean => typeof state.parts[name] === 'string',
  replace: (state: State, value: T): void => {
    state.parts[name] = value;
  },
});

export function createRecordTable<T extends { readonly id: string }>(
  name: string,
  seed: (since: number) => readonly T[] = () => [],
) {
  const part = createPart<Records<T>>(name, (since) => recordsFrom(seed(since).map((record) => [record.id, record])));
  const find = (state: State, id: string | undefined = ''): T => {
    const record = part.of(state)[id];
    if (record === undefined) throw notFound();
    return record;
  };
  return {
    /** Oldest first. */
    all: (state: State): readonly T[] => Object.values(part.of(state)),
    get: (state: State, id: string): T | undefined => part.of(state)[id],
    /** Throws the 404 Problem when there is no record with that id. */
    find,
    put: (state: State, record: T): T => (part.of(state)[record.id] = record),
    /** Throws as `find`. */
    remove: (state: State, id: string | undefined): void => {
      Reflect.deleteProperty(part.of(state), find(state, id).id);
    },
  };
}

const secret = createPart<{ readonly secret: string }>('keys', () => ({ secret: randomBytes(32).toString('hex') }));

const digestOf = (state: State, name: string): string =>
  createHmac('sha256', secret.of(state).secret).update(name).digest('hex').slice(0, 40);

/** Opens the worker protocol for this endpoint only. */
export const workerKeyOf = (state: State, endpointId: string): string =>
  `berth-worker-${digestOf(state, `worker ${endpointId}`)}`;

const POD = 'berth-pod.';

export const podKeyOf = (state: State, podId: string): string => `${POD}${podId}.${digestOf(state, `pod ${podId}`)}`;

export function podOfKey(state: State, token: string): string | undefined {
  if (!token.startsWith(POD)) return undefined;
  const podId = token.slice(POD.length, token.lastIndexOf('.'));
  return isSameKey(token, podKeyOf(state, podId)) ? podId : undefined;
}

export const isSameKey = (given: string, expected: string): boolean =>
  Buffer.byteLength(given) === Buffer.byteLength(expected) &&
  timingSafeEqual(Buffer.from(given), Buffer.from(expected));

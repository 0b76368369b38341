import { noRecords, type Records } from './records.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';

/** The version of the state and of its file. */
export const STATE_VERSION = 7;

/**
 * Everything the local service stores, all of it JSON. Times are those of the service's own clock.
 * What a resource stores is a part of the state under the resource's name; only the resource knows its type: see
 * `createPart` and `createRecordTable`.
 */
export interface State {
  readonly version: typeof STATE_VERSION;
  /** When the account was created. */
  readonly since: EpochMs;
  /** Differs after every reset; it is contained in each job's id. */
  readonly generation: string;
  /** How far `berth local clock advance` has moved the time, in total. */
  clockOffsetMs: Milliseconds;
  /** The service's time when the state was last used. */
  asOf: EpochMs;
  /** The wall clock at `asOf`. From it follows how long the state was not used. */
  wallAt: EpochMs;
  /** Everything that was due up to this time has been processed. */
  processedTo: EpochMs;
  /** Grows by one with every id; a reset does not set it back, so no id is used twice. */
  serial: number;
  readonly parts: Records<unknown>;
}

/** Runs one atomic step on the current state: see `Call.transact`. */
export type Transact = <T>(step: (state: State, now: EpochMs) => T) => Promise<T>;

/** Where the ids of a new state start. */
export interface IdOrigin {
  readonly generation: string;
  readonly serial: number;
}

/** The state of a new account, created at `now`. It has no parts: each is seeded when it is first used. */
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
  serial,
  parts: noRecords(),
});

/**
 * The id origin of a state that replaces `previous`, such that no id is used twice. `random` returns a number from 0 up to,
 * but not including, 1.
 */
export function originAfter(previous: State | undefined, random: () => number): IdOrigin {
  const drawn = Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
  const generation = drawn === previous?.generation ? `${drawn}${String(previous.serial)}` : drawn;
  return { generation, serial: previous?.serial ?? 0 };
}

/** Returns a new id, such as `pod-00002a`. */
export const nextId = (state: State, prefix: string): string =>
  `${prefix}-${(state.serial += 1).toString(36).padStart(6, '0')}`;

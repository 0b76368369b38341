import { MAX_RETRY_AFTER_MS } from '../../../model/run-records.ts';
import { isObject, numberAt, objectAt, stringAt } from '../../../../core/json.ts';
import type { EpochMs, Seconds } from '../../../../core/unit-types.ts';

/**
 * The shared budget of requests of one kind at one endpoint. All times are those of the database's clock, which all
 * drivers share. A driver is granted requests for one second of this clock at a time.
 */
export interface PaceState {
  /** The drivers by their ids. */
  readonly drivers: Readonly<Record<string, PaceDriver>>;
  /** No request may start before this time. */
  readonly blockedUntil: EpochMs;
  /** When the latest slow-down began: failures of requests that were sent earlier belong to it. */
  readonly slowedAt: EpochMs;
  /** Slow-downs without a full recovery between them. */
  readonly slowDowns: number;
  /** The fraction of the rate that remained after the latest slow-down. */
  readonly fraction: number;
}

/** What a driver asks for. */
export interface PaceRequest {
  /** Names the batch: batches have equal shares. */
  readonly batch: string;
  /** Maximum number of requests per second of the whole batch. */
  readonly batchRate: number;
  /** The limits of the endpoint as this driver knows them; the lowest ones of all active drivers apply. */
  readonly limits: PaceLimits;
  /** How many requests it would start in a second. */
  readonly wanted: number;
}

export interface PaceLimits {
  readonly rate: number;
  readonly concurrency: number;
}

interface PaceDriver extends PaceRequest {
  /** The time of its latest call. */
  readonly seenAt: EpochMs;
  /** The latest second that it has a grant for, in seconds since the epoch. */
  readonly second: Seconds;
  /** What was granted to it for this second, and for the one before. */
  readonly granted: number;
  readonly grantedBefore: number;
}

export const NEW_PACE: PaceState = {
  drivers: {},
  blockedUntil: 0,
  slowedAt: 0,
  slowDowns: 0,
  fraction: 1,
};

const PACE_NUMBERS = ['blockedUntil', 'slowedAt', 'slowDowns', 'fraction'];
const DRIVER_NUMBERS = [
  ...['batchRate', 'limits.rate', 'limits.concurrency', 'wanted'],
  ...['seenAt', 'second', 'granted', 'grantedBefore'],
];

/** Whether a value is a state that a driver has written: anybody with the rights can change a row. */
export const isPace = (value: unknown): value is PaceState =>
  isObject(value) &&
  PACE_NUMBERS.every((name) => numberAt(value, name) !== undefined) &&
  Object.values(objectAt(value, 'drivers') ?? { missing: null }).every(
    (driver) =>
      stringAt(driver, 'batch') !== undefined && DRIVER_NUMBERS.every((name) => numberAt(driver, name) !== undefined),
  );

/** A driver that has not asked for this long has no share. Its grants end earlier. */
const LAPSE_MS = 3000;
/** Time of success after which a rate grows from nothing to its maximum. */
const RECOVERY_MS = 20_000;
const FIRST_BLOCK_MS = 500;
const MAX_BLOCK_MS = 30_000;
/** A time that is further ahead than this is from before the database's clock was set back. */
const MAX_AHEAD_MS = 2 * LAPSE_MS;

/** Removes drivers that are gone, and times from before a change of the database's clock. */
export function withoutLapsed(state: PaceState, now: number): PaceState {
  const drivers = Object.entries(state.drivers).filter(
    ([, { seenAt }]) => seenAt > now - LAPSE_MS && seenAt < now + MAX_AHEAD_MS,
  );
  return {
    ...state,
    drivers: Object.fromEntries(drivers),
    blockedUntil: Math.min(state.blockedUntil, now + MAX_RETRY_AFTER_MS),
    slowedAt: Math.min(state.slowedAt, now),
  };
}

/** Drivers that want to send. */
const activeDrivers = ({ drivers }: PaceState): readonly (readonly [string, PaceDriver])[] =>
  Object.entries(drivers)
    .filter(([, { wanted }]) => wanted > 0)
    .sort(([one], [other]) => (one < other ? -1 : 1));

/** The number of requests that a rate allows in one second; for a rate that is not whole, the seconds differ by one. */
export const requestsIn = (rate: number, second: Seconds): number => {
  // The product must stay small enough to be exact.
  const turn = second % 1_000_000;
  return Math.floor(rate * (turn + 1)) - Math.floor(rate * turn);
};

/** The rate after slow-downs, which grows again with time: requests per second. */
function currentRate(state: PaceState, rate: number, now: number): number {
  const fraction = currentFraction(state, now);
  return Math.max(Math.min(1, rate), rate * fraction);
}

function currentFraction({ fraction, slowedAt, blockedUntil }: PaceState, now: number): number {
  const recovering = Math.max(0, now - Math.max(slowedAt, blockedUntil));
  return Math.min(1, fraction + recovering / RECOVERY_MS);
}

/**
 * After a 429, or when the service was not reached, for a request that was sent at `sentAt`: blocks all drivers for the time
 * that the service asks for, or for a time that doubles with every slow-down, and halves the rate, once for all requests
 * that were sent before the slow-down began.
 */
export function slowDown(state: PaceState, now: number, sentAt: number, retryAfterMs: number | undefined): PaceState {
  const same = sentAt <= state.slowedAt;
  const fraction = currentFraction(state, now);
  const slowDowns = same ? state.slowDowns : fraction === 1 ? 1 : state.slowDowns + 1;
  const blockMs = Math.min(MAX_BLOCK_MS, FIRST_BLOCK_MS * 2 ** Math.min(20, Math.max(0, slowDowns - 1)));
  const waitMs = Math.min(MAX_RETRY_AFTER_MS, Math.max(0, retryAfterMs ?? blockMs));
  const blockedUntil = Math.max(state.blockedUntil, now + waitMs);
  if (same) return { ...state, blockedUntil };
  return { ...state, blockedUntil, slowDowns, slowedAt: now, fraction: fraction / 2 };
}

/** A number of requests that a driver may start between two times of the database's clock. */
export interface DatabaseGrant {
  /** 0 when the driver must ask again, at `from` or later. */
  readonly requests: number;
  readonly from: EpochMs;
  readonly until: EpochMs;
  /** How many of its requests may be in progress at the same time. */
  readonly concurrency: number;
}

const SECOND_MS = 1000;

/**
 * Grants a driver its share of the current second, or of the next one when it has the current one already. The sum of all
 * grants for a second is never more than the rate, and the sum of those of a batch never more than the rate of the batch.
 */
export function takeGrant(
  before: PaceState,
  driver: string,
  request: PaceRequest,
  now: number,
): { readonly state: PaceState; readonly grant: DatabaseGrant } {
  const kept = withoutLapsed(before, now);
  const known = kept.drivers[driver];
  const me: PaceDriver = { ...(known ?? NOTHING_GRANTED), ...request, seenAt: now };
  const state: PaceState = { ...kept, drivers: { ...kept.drivers, [driver]: me } };
  const current = Math.floor(now / SECOND_MS);
  const seconds = [current, current + 1].filter((second) => second > me.second);
  for (const second of seconds) {
    const from = Math.max(now, second * SECOND_MS, state.blockedUntil);
    const until = (second + 1) * SECOND_MS;
    const requests = from >= until ? 0 : shareOf(state, driver, second, (until - from) / SECOND_MS, now);
    if (requests === 0) continue;
    const granted = { second, granted: requests, grantedBefore: me.second === second - 1 ? me.granted : 0 };
    return {
      state: { ...state, drivers: { ...state.drivers, [driver]: { ...me, ...granted } } },
      grant: { requests, from, until, concurrency: concurrencyOf(state) },
    };
  }
  const nextSecond = (current + 1) * SECOND_MS;
  const from = Math.max(nextSecond, Math.min(state.blockedUntil, now + SECOND_MS));
  return { state, grant: { requests: 0, from, until: from, concurrency: concurrencyOf(state) } };
}

const NOTHING_GRANTED = { second: 0, granted: 0, grantedBefore: 0 } as const;

/**
 * The driver stops asking: the others get its share. What was granted to it still counts until its seconds are over.
 */
export const leave = (before: PaceState, driver: string, now: number): PaceState => {
  const state = withoutLapsed(before, now);
  const known = state.drivers[driver];
  if (known === undefined) return state;
  return { ...state, drivers: { ...state.drivers, [driver]: { ...known, wanted: 0 } } };
};

/** The number of requests for a driver in a part of a second. Batches share equally, then the drivers of each batch. */
function shareOf(state: PaceState, driver: string, second: Seconds, partOfSecond: number, now: number): number {
  const active = activeDrivers(state);
  const me = state.drivers[driver];
  if (me === undefined || me.wanted === 0) return 0;
  const rate = currentRate(state, Math.min(...active.map(([, { limits }]) => limits.rate)), now);
  const all = requestsIn(rate, second);
  const batches = [...new Set(active.map(([, { batch }]) => batch))].sort();
  const most = batches.map((batch) => mostOf(active, batch, second));
  const ofBatch = fairShares(all, most, second)[batches.indexOf(me.batch)] ?? 0;
  const members = active.filter(([, { batch }]) => batch === me.batch);
  const wanted = members.map(([, member]) => Math.floor(member.wanted));
  // Divided by the number of batches, because each batch gets the single units at other turns.
  const turn = Math.floor(second / batches.length);
  const share = fairShares(ofBatch, wanted, turn)[members.findIndex(([id]) => id === driver)] ?? 0;
  const others = Object.values(state.drivers);
  const left = all - grantedFor(others, second);
  const leftOfBatch =
    (most[batches.indexOf(me.batch)] ?? 0) -
    grantedFor(
      others.filter(({ batch }) => batch === me.batch),
      second,
    );
  return Math.max(0, Math.min(Math.floor(share * partOfSecond), left, leftOfBatch));
}

/** The number of requests that a batch can use in a second. */
function mostOf(active: readonly (readonly [string, PaceDriver])[], batch: string, second: Seconds): number {
  const members = active.filter(([, member]) => member.batch === batch).map(([, member]) => member);
  const wanted = members.reduce((total, member) => total + Math.floor(member.wanted), 0);
  return Math.min(wanted, requestsIn(Math.min(...members.map(({ batchRate }) => batchRate)), second));
}

/** What was granted for a second. */
const grantedFor = (drivers: readonly PaceDriver[], second: Seconds): number =>
  drivers.reduce(
    (total, each) =>
      total + (each.second === second ? each.granted : each.second === second + 1 ? each.grantedBefore : 0),
    0,
  );

/** Concurrent requests are shared equally among the active drivers. */
function concurrencyOf(state: PaceState): number {
  const active = activeDrivers(state);
  if (active.length === 0) return 1;
  return Math.max(1, Math.floor(Math.min(...active.map(([, { limits }]) => limits.concurrency)) / active.length));
}

/**
 * Divides a whole number of units among claims. `most` holds the number of units that each claim can use. No claim gets more
 * than it can use, what it cannot use goes to the others, and claims that get less than they can use differ by one at most.
 * Single units that are left after an equal division go to other claims at each `turn`. Returns the parts in the order of
 * the claims.
 */
export function fairShares(units: number, most: readonly number[], turn: number): readonly number[] {
  const level = equalPart(units, most);
  const parts = most.map((each) => Math.min(each, level));
  const left = units - sum(parts);
  const open = most.flatMap((each, index) => (each > level ? [index] : []));
  const receivers = new Set(open.map((_, step) => open[(turn + step) % open.length]).slice(0, left));
  return parts.map((part, index) => (receivers.has(index) ? part + 1 : part));
}

/** Returns the largest equal part for all claims that can use it; infinite when every claim gets all that it can use. */
function equalPart(units: number, most: readonly number[]): number {
  let left = units;
  let claims = most.length;
  for (const each of most.toSorted((one, other) => one - other)) {
    if (each * claims > left) return Math.floor(left / claims);
    left -= each;
    claims -= 1;
  }
  return Number.POSITIVE_INFINITY;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

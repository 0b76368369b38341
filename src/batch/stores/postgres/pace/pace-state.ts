import { isObject, numberAt, objectAt, stringAt } from '../../../../core/json.ts';

/**
 * The shared budget of requests of one kind at one endpoint. All times are milliseconds of the database's clock, which all
 * drivers share. A driver is granted requests for one second of this clock at a time.
 */
export interface PaceState {
  /** The drivers by their ids. */
  readonly drivers: Readonly<Record<string, PaceDriver>>;
  /** No request may start before this time. */
  readonly blockedUntil: number;
  /** When the latest slow-down began: failures of requests that were sent earlier belong to it. */
  readonly slowedAt: number;
  /** Slow-downs without a full recovery between them. */
  readonly slowDowns: number;
  /** The fraction of the rate that remained after the latest slow-down. */
  readonly fraction: number;
}

/** What a driver asks for. */
export interface PaceRequest {
  readonly batch: string;
  /** Maximum number of requests per second of the whole batch. */
  readonly batchRate: number;
  /** The limits of the endpoint as this driver knows them; the lowest ones of all active drivers apply. */
  readonly limits: PaceLimits;
  /** How many requests it would start in a second. */
  readonly wanted: number;
}

export interface PaceLimits {
  /** Requests per second. */
  readonly rate: number;
  /** Concurrent requests. */
  readonly concurrency: number;
}

export interface PaceDriver extends PaceRequest {
  /** The time of its latest call. */
  readonly seenAt: number;
  /** The latest second that it has a grant for, in seconds since the epoch. */
  readonly second: number;
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
/** The longest wait that a service may ask for, as in a run without shared pace. */
const MAX_RETRY_AFTER_MS = 3_600_000;
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
export const activeDrivers = ({ drivers }: PaceState): readonly (readonly [string, PaceDriver])[] =>
  Object.entries(drivers)
    .filter(([, { wanted }]) => wanted > 0)
    .sort(([one], [other]) => (one < other ? -1 : 1));

/** The number of requests that a rate allows in one second; for a rate that is not whole, the seconds differ by one. */
export const requestsIn = (rate: number, second: number): number => {
  // The product must stay small enough to be exact.
  const turn = second % 1_000_000;
  return Math.floor(rate * (turn + 1)) - Math.floor(rate * turn);
};

/** The rate after slow-downs, which grows again with time: requests per second. */
export function currentRate(state: PaceState, rate: number, now: number): number {
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

import type { Clock } from '../../core/context.ts';
import type { PaceGrant, SharedPace } from '../model/run-records.ts';
import type { Milliseconds } from '../../core/unit-types.ts';

/** The rate of a driver that shares nothing. */
export const UNLIMITED: GrantedRate = {
  available: () => Number.POSITIVE_INFINITY,
  availableWithin: () => Number.POSITIVE_INFINITY,
  take: () => undefined,
  delay: () => 0,
  concurrency: Number.POSITIVE_INFINITY,
  slowDown: () => undefined,
  close: () => Promise.resolve(),
};

interface GrantedRateOptions {
  readonly pace: SharedPace;
  readonly clock: Clock;
  readonly random: () => number;
  /** How many requests would be sent in the next second. */
  readonly wanted: () => number;
  /** Called when more requests may be sent than before. */
  readonly wake: () => void;
}

interface OpenGrant extends PaceGrant {
  used: number;
  /** The wall clock minus the monotonic clock, when the grant was received: it grows while the machine is suspended. */
  readonly offset: number;
}

const SECOND_MS = 1000;
/** When nothing is wanted, or the database was not reached, the next attempt is after this time. */
const IDLE_MS = 200;
const RETRY_MS = 1000;

/** Asks for grants of the shared pace ahead of time until it is closed. All times are those of the monotonic clock. */
export function createGrantedRate({ pace, clock, random, wanted, wake }: GrantedRateOptions) {
  let grants: OpenGrant[] = [];
  let concurrency = 1;
  /** Whether the database answered the latest question. */
  let reached = false;
  const closed = new AbortController();
  // Drivers ask at different moments of a second, so that their changes seldom meet.
  const leadMs = (0.3 + 0.4 * random()) * SECOND_MS;
  // eslint-disable-next-line no-restricted-syntax -- the monotonic clock of some systems stops while they are suspended
  const offset = (): number => clock.now() - clock.monotonic();
  const isOver = (grant: OpenGrant, now: Milliseconds): boolean =>
    now + Math.max(0, offset() - grant.offset) >= grant.validUntil;
  const openGrants = (now: Milliseconds): readonly OpenGrant[] =>
    (grants = grants.filter((grant) => !isOver(grant, now)));

  const ask = async (): Promise<number> => {
    const want = wanted();
    const grant = await pace.next(want);
    ({ concurrency } = grant);
    if (grant.requests > 0) grants.push({ ...grant, used: 0, offset: offset() });
    wake();
    const now = clock.monotonic();
    if (grant.requests === 0) return want === 0 ? IDLE_MS : Math.max(1, grant.validFrom - now);
    return Math.max(1, grant.validUntil - leadMs - now);
  };
  const askUntilClosed = async (): Promise<void> => {
    // The caller is not complete yet.
    await Promise.resolve();
    while (!closed.signal.aborted) {
      let delayMs = RETRY_MS;
      try {
        delayMs = await ask();
        reached = true;
      } catch {
        reached = false;
      }
      await clock.sleep(delayMs, closed.signal).catch(() => undefined);
    }
  };
  void askUntilClosed();
  const slowDown = createSlowDown(pace);

  return {
    /** How many requests may be sent at `now`. */
    available: (now: Milliseconds): number => {
      const [grant] = openGrants(now);
      return grant === undefined ? 0 : allowed(grant, now) - grant.used;
    },
    /** How many requests may be sent until `aheadMs` after `now`, as far as it is known. */
    availableWithin: (now: Milliseconds, aheadMs: Milliseconds): number =>
      openGrants(now).reduce((sum, grant) => sum + Math.max(0, allowed(grant, now + aheadMs) - grant.used), 0),
    /** Called for requests that are sent. */
    take: (count: number): void => {
      const [grant] = grants;
      if (grant !== undefined) grant.used += count;
    },
    /** The time until a request may be sent; undefined when the answer of the database is awaited, which calls `wake`. */
    delay: (now: Milliseconds): Milliseconds | undefined => {
      const [grant, next] = openGrants(now);
      if (grant === undefined) return undefined;
      if (grant.used < grant.requests) return Math.max(0, Math.ceil(allowedAt(grant, grant.used) - now));
      return next === undefined ? undefined : Math.max(0, Math.ceil(next.validFrom - now));
    },
    /** How many requests may be in progress at the same time. */
    get concurrency(): number {
      return concurrency;
    },
    /** After a 429, or when the service was not reached: sends nothing more of its grants, and slows down all drivers. */
    slowDown: (retryAfterMs: Milliseconds | undefined, sentAt: Milliseconds): void => {
      grants = [];
      slowDown(retryAfterMs, sentAt);
    },
    /** Stops asking and gives the share to the other drivers. */
    close: async (): Promise<void> => {
      closed.abort(new Error('closed'));
      // Where the database is not reached, the share of this driver lapses soon.
      if (reached) await pace.close().catch(() => undefined);
    },
  };
}

export type GrantedRate = ReturnType<typeof createGrantedRate>;

/** Hundreds of requests may fail at once: those that fail while the database is told of one are told together. */
function createSlowDown(pace: SharedPace): GrantedRate['slowDown'] {
  let waiting: { readonly retryAfterMs: Milliseconds | undefined; readonly sentAt: Milliseconds } | undefined;
  let running = false;
  const tell = async (): Promise<void> => {
    running = true;
    for (let told = waiting; told !== undefined; told = waiting) {
      waiting = undefined;
      // Where the database is not reached, nothing is granted either.
      await pace.slowDown(told.retryAfterMs, told.sentAt).catch(() => undefined);
    }
    running = false;
  };
  return (retryAfterMs, sentAt) => {
    waiting = {
      retryAfterMs: longest(waiting?.retryAfterMs, retryAfterMs),
      sentAt: Math.max(waiting?.sentAt ?? sentAt, sentAt),
    };
    if (!running) void tell();
  };
}

const longest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined ? other : Math.max(one, other ?? 0);

/** When the request with this number (from 0) of a grant may be sent. */
const allowedAt = ({ validFrom, validUntil, requests }: PaceGrant, number: number): number =>
  validFrom + ((validUntil - validFrom) * number) / requests;

/** How many requests of a grant may have been sent by `now`. */
const allowed = (grant: PaceGrant, now: Milliseconds): number =>
  now < grant.validFrom
    ? 0
    : Math.min(
        grant.requests,
        1 + Math.floor(((now - grant.validFrom) / (grant.validUntil - grant.validFrom)) * grant.requests),
      );

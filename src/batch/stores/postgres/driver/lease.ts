import type { Clock } from '../../../../core/context.ts';

type LeaseMark = Readonly<Record<'monotonic' | 'wall', number>>;

/** The parts of a lease in which nothing is sent any more, and after which it is renewed. */
const MARGIN_PART = 1 / 5;
const RENEWAL_PART = 1 / 4;

/**
 * The time since a renewal is the longer one of two clocks: the monotonic clock stands still while a machine is
 * suspended, and the wall clock may be set back.
 */
export function createLease(clock: Clock, leaseMs: number) {
  let last: LeaseMark | undefined;
  // eslint-disable-next-line no-restricted-syntax -- a date: it also counts while the machine is suspended
  const mark = (): LeaseMark => ({ monotonic: clock.monotonic(), wall: clock.now() });
  return {
    /** Milliseconds between two renewals. */
    renewalMs: leaseMs * RENEWAL_PART,
    /** Returns a mark of this moment. Make it before the request of a renewal is sent. */
    mark,
    /** All leases were renewed by a request that was sent at the mark. */
    renewed: (at: LeaseMark): void => {
      if (last === undefined || at.monotonic > last.monotonic) last = at;
    },
    isValid: (): boolean => {
      if (last === undefined) return false;
      const now = mark();
      const elapsed = Math.max(now.monotonic - last.monotonic, now.wall - last.wall);
      return elapsed < leaseMs * (1 - MARGIN_PART);
    },
  };
}

/** Tells how long a driver may send: until a margin before the end of its leases. */
export type Lease = ReturnType<typeof createLease>;

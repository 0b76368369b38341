/** The plan of a trial, drawn from its seed: what happens to which driver or to PostgreSQL, and when. */
import { createRandom } from '../chaos/random.mjs';

/** Nothing happens after this fraction of the items: what remains must be done in peace. */
const LAST_EVENT = 0.95;

/** Names of the events that happen to one driver, and of those that happen to the database. */
export const DRIVER_EVENTS = ['kill', 'stop', 'cut'];
export const DATABASE_EVENTS = ['restart', 'crash'];

/**
 * Returns the events in the order of their moments. `counts` holds the number of each kind: `kill` (SIGKILL to a driver), `stop`
 * (SIGSTOP for longer than a lease, then SIGCONT), `cut` (no connection to PostgreSQL for longer than a lease), `restart` and
 * `crash` (PostgreSQL, by an administrator and by SIGKILL). Each has `at`, the fraction of the items that were submitted.
 */
export function drawPlan({ seed, drivers, counts, leaseMs }) {
  const random = createRandom(seed);
  const longerThanLease = () => Math.round(leaseMs * (1.1 + random.next() * 0.6));
  const drawOne = {
    kill: () => ({ driver: random.int(0, drivers - 1), delayMs: random.int(0, 400) }),
    stop: () => ({ driver: random.int(0, drivers - 1), forMs: longerThanLease() }),
    // Half of them lose packets without a word, half are refused.
    cut: () => ({ driver: random.int(0, drivers - 1), forMs: longerThanLease(), how: random.pick(['hold', 'refuse']) }),
    restart: () => ({}),
    crash: () => ({ downMs: random.int(0, 1500) }),
  };
  return Object.entries(counts)
    .flatMap(([kind, count]) =>
      Array.from({ length: count }, () => ({ kind, at: random.next() * LAST_EVENT, ...drawOne[kind]() })),
    )
    .sort((one, other) => one.at - other.at)
    .map((event, index) => ({ number: index + 1, ...event }));
}

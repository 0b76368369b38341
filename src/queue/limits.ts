import { type Milliseconds, MINUTE_MS } from '../core/unit-types.ts';

/** Bytes (specification 8.2). A megabyte is 1,000,000 bytes. */
export const PAYLOAD_LIMITS = { run: 10_000_000, runsync: 20_000_000 } as const;

/** For jobs submitted with run (specification 8.2). */
export const RESULT_RETENTION_MS: Milliseconds = 30 * MINUTE_MS;

/** At least (contract rules, Queue API). */
export const SYNC_RESULT_RETENTION_MS = MINUTE_MS;

/** Requests/s: with a bucket of a tenth, 96 % of 1000 submissions and 2000 status requests per 10 s (contract rules). */
export const RATE_LIMITS = {
  run: { rate: 95, concurrency: 200 },
  status: { rate: 190, concurrency: 400 },
} as const;

/** Milliseconds (contract rules, Queue API). */
export const DURATION_BOUNDS = {
  syncWait: [1000, 300_000],
  executionTimeout: [5000, 604_800_000],
  ttl: [10_000, 604_800_000],
} as const;

/** Specification 4.5. */
export const DEFAULT_SYNC_WAIT_MS: Milliseconds = 90_000;

/** Milliseconds for which a job is certainly kept: the shorter of TTL and retention (specification 8.2). */
export const certainMs = ({
  ttlMs = Number.POSITIVE_INFINITY,
  sync = false,
}: {
  readonly ttlMs?: Milliseconds | undefined;
  readonly sync?: boolean;
}): Milliseconds => Math.min(ttlMs, sync ? SYNC_RESULT_RETENTION_MS : RESULT_RETENTION_MS);

import { MINUTE_MS } from '../core/durations.ts';
import type { Milliseconds } from '../core/unit-types.ts';

/** Largest body of a submission in bytes (specification 8.2). A megabyte is 1,000,000 bytes. */
export const PAYLOAD_LIMITS = { run: 10_000_000, runsync: 20_000_000 } as const;

/** How long the service keeps the result of a job that was submitted with run (specification 8.2). */
export const RESULT_RETENTION_MS: Milliseconds = 30 * MINUTE_MS;

/** The same with runsync, at least (contract rules, Queue API). */
export const SYNC_RESULT_RETENTION_MS = MINUTE_MS;

/**
 * Known limits per endpoint and user (contract rules, Queue API): 1000 submissions and 2000 status requests in any ten
 * seconds, and so many requests at once. The rates, in requests a second, are slightly lower than that, which leaves
 * room for bursts.
 */
export const RATE_LIMITS = {
  run: { rate: 99, concurrency: 200 },
  status: { rate: 198, concurrency: 400 },
} as const;

/** Lower and upper bounds of durations that the service accepts, in milliseconds (contract rules, Queue API). */
export const DURATION_BOUNDS = {
  syncWait: [1000, 300_000],
  executionTimeout: [5000, 604_800_000],
  ttl: [10_000, 604_800_000],
} as const;

/** How long a job may be in the queue and at work when its submission does not say it (contract rules, Queue API). */
export const DEFAULT_TTL_MS: Milliseconds = 1440 * MINUTE_MS;

/** How long runsync waits when the request does not say it (specification 4.5). */
export const DEFAULT_SYNC_WAIT_MS: Milliseconds = 90_000;

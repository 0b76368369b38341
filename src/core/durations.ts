import type { Milliseconds, Seconds } from './unit-types.ts';

export const MINUTE_MS: Milliseconds = 60_000;
export const HOUR_MS: Milliseconds = 60 * MINUTE_MS;
export const DAY_MS: Milliseconds = 24 * HOUR_MS;

export const HOUR_SECONDS: Seconds = 3600;
export const DAY_SECONDS: Seconds = 24 * HOUR_SECONDS;

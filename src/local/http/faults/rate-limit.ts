import { DAY_SECONDS, HOUR_SECONDS } from '../../../core/durations.ts';
import { Problem } from '../../contract/problem.ts';
import { createPart } from '../../state/record-table.ts';
import type { EpochMs, Seconds } from '../../../core/unit-types.ts';

export const WINDOWS = [
  { name: 'minute', seconds: 60, quota: 1000 },
  { name: 'hour', seconds: HOUR_SECONDS, quota: 30_000 },
  { name: 'day', seconds: DAY_SECONDS, quota: 300_000 },
] as const;

export type WindowName = (typeof WINDOWS)[number]['name'];
export type Quota = Readonly<Record<WindowName, number>>;

/** The requests counted in each window, and its start. A window starts with the first request after the previous one ended. */
export type RateUsage = Record<WindowName, { startedAt: EpochMs; used: number }>;

/** The usage of the account's rate windows. */
export const rateUsage = createPart<RateUsage>('rate', (since) => ({
  minute: { startedAt: since, used: 0 },
  hour: { startedAt: since, used: 0 },
  day: { startedAt: since, used: 0 },
}));

export const quotaOf = (given: Readonly<Partial<Record<WindowName, number>>> = {}): Quota => ({
  minute: given.minute ?? WINDOWS[0].quota,
  hour: given.hour ?? WINDOWS[1].quota,
  day: given.day ?? WINDOWS[2].quota,
});

interface WindowStatus {
  readonly name: WindowName;
  readonly remaining: number;
  /** Until the window resets, at least 1. */
  readonly reset: Seconds;
}

/**
 * Counts one request of the management API in its three windows and returns the headers of its answer (specification 8.1).
 * Queue operations are not counted and have no such headers: the specification does not say that they share these windows,
 * and they have limits of their own. Throws the 429 Problem with the headers, and then does not count the request.
 */
export function countRequest(usage: RateUsage, quota: Quota, now: EpochMs): Readonly<Record<string, string>> {
  for (const { name, seconds } of WINDOWS) {
    if (now >= usage[name].startedAt + seconds * 1000) usage[name] = { startedAt: now, used: 0 };
  }
  const exceeded = windowStatuses(usage, quota, now).filter(({ remaining }) => remaining === 0);
  const longest = exceeded.at(-1);
  if (longest !== undefined) throw tooManyRequests(longest.name, longest.reset, rateHeaders(usage, quota, now));
  for (const { name } of WINDOWS) usage[name].used += 1;
  return rateHeaders(usage, quota, now);
}

/** The 429 Problem for one window (specification 7.2). `retryAfter` in seconds. */
export const tooManyRequests = (
  name: WindowName,
  retryAfter: number,
  headers: Readonly<Record<string, string>> = {},
): Problem =>
  new Problem(429, 'Too Many Requests', `rate limit exceeded for the ${name} window`, undefined, {
    'Retry-After': String(retryAfter),
    ...headers,
  });

/** RateLimit and RateLimit-Policy as structured-field lists, one member a window. */
export function rateHeaders(usage: RateUsage, quota: Quota, now: EpochMs): Readonly<Record<string, string>> {
  return {
    RateLimit: windowStatuses(usage, quota, now)
      .map(({ name, remaining, reset }) => `"${name}";r=${String(remaining)};t=${String(reset)}`)
      .join(', '),
    'RateLimit-Policy': WINDOWS.map(
      ({ name, seconds }) => `"${name}";q=${String(quota[name])};w=${String(seconds)}`,
    ).join(', '),
  };
}

const windowStatuses = (usage: RateUsage, quota: Quota, now: EpochMs): readonly WindowStatus[] =>
  WINDOWS.map(({ name, seconds }) => ({
    name,
    remaining: Math.max(0, quota[name] - usage[name].used),
    reset: Math.max(1, Math.ceil((usage[name].startedAt + seconds * 1000 - now) / 1000)),
  }));

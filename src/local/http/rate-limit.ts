import { DAY_SECONDS, type EpochMs, HOUR_SECONDS, type Seconds } from '../../core/unit-types.ts';
import { Problem } from '../contract/problem.ts';
import { createPart } from '../state/state.ts';

export const WINDOWS = [
  { name: 'minute', seconds: 60, quota: 1000 },
  { name: 'hour', seconds: HOUR_SECONDS, quota: 30_000 },
  { name: 'day', seconds: DAY_SECONDS, quota: 300_000 },
] as const;

type WindowName = (typeof WINDOWS)[number]['name'];
export type Quota = Readonly<Record<WindowName, number>>;
type Headers = Readonly<Record<string, string>>;

/** A window starts with the first request after the previous one ended. */
type RateUsage = Record<WindowName, { startedAt: EpochMs; used: number }>;

const perWindow = <T>(valueOf: (window: (typeof WINDOWS)[number]) => T): Record<WindowName, T> =>
  Object.fromEntries(WINDOWS.map((window) => [window.name, valueOf(window)])) as Record<WindowName, T>;

export const rateUsage = createPart<RateUsage>('rate', (since) => perWindow(() => ({ startedAt: since, used: 0 })));

export const quotaOf = (given: Readonly<Partial<Quota>> = {}): Quota =>
  perWindow(({ name, quota }) => given[name] ?? quota);

/** Throws the 429 Problem without counting (specification 8.1). Queue operations have other limits. */
export function countRequest(usage: RateUsage, quota: Quota, now: EpochMs): Headers {
  for (const { name, seconds } of WINDOWS)
    if (now >= usage[name].startedAt + seconds * 1000) usage[name] = { startedAt: now, used: 0 };
  const exceeded = WINDOWS.findLast(({ name }) => usage[name].used >= quota[name]);
  if (exceeded !== undefined)
    throw tooManyRequests(exceeded.name, resetOf(usage, exceeded, now), rateHeaders(usage, quota, now));
  for (const { name } of WINDOWS) usage[name].used += 1;
  return rateHeaders(usage, quota, now);
}

/** The 429 Problem for one window (specification 7.2). */
export const tooManyRequests = (name: WindowName, retryAfter: Seconds, headers: Headers = {}): Problem =>
  new Problem(429, 'Too Many Requests', `rate limit exceeded for the ${name} window`, undefined, {
    'Retry-After': String(retryAfter),
    ...headers,
  });

/** RateLimit and RateLimit-Policy as structured-field lists, one member a window. */
function rateHeaders(usage: RateUsage, quota: Quota, now: EpochMs): Headers {
  const remaining = (window: (typeof WINDOWS)[number]): string => {
    const left = Math.max(0, quota[window.name] - usage[window.name].used);
    return `"${window.name}";r=${String(left)};t=${String(resetOf(usage, window, now))}`;
  };
  return {
    RateLimit: WINDOWS.map(remaining).join(', '),
    'RateLimit-Policy': WINDOWS.map(
      ({ name, seconds }) => `"${name}";q=${String(quota[name])};w=${String(seconds)}`,
    ).join(', '),
  };
}

/** At least 1. */
const resetOf = (usage: RateUsage, { name, seconds }: (typeof WINDOWS)[number], now: EpochMs): Seconds =>
  Math.max(1, Math.ceil((usage[name].startedAt + seconds * 1000 - now) / 1000));

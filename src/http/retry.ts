import type { EpochMs, Milliseconds } from '../core/unit-types.ts';
import { parseHttpDate } from '../core/units.ts';
import type { Stage } from './transport.ts';

interface RetryPolicy {
  readonly retries: number;
  readonly maxTotalWaitMs: Milliseconds;
}

export type AttemptEnd =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterMs: Milliseconds | undefined }
  /** `final`: a retry would end the same. `reason`: what a message says of it. */
  | { readonly kind: 'lost'; readonly stage: Stage; readonly final: boolean; readonly reason?: string };

type RetryDecision = { readonly retry: true; readonly waitMs: Milliseconds } | { readonly retry: false };

const BASE_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 20_000;
/** The shortest wait, whatever a server asks for: it prevents a busy loop. */
const MIN_WAIT_MS = 100;

/** Retry-After is obeyed exactly; otherwise exponential backoff with full jitter. `attempts` counts from 1. */
export function decideRetry(
  repeatable: boolean,
  end: AttemptEnd,
  attempts: number,
  waitedMs: Milliseconds,
  policy: RetryPolicy,
  random: number,
): RetryDecision {
  const asked = end.kind === 'status' ? end.retryAfterMs : undefined;
  const backoff = random * Math.min(MAX_BACKOFF_MS, BASE_BACKOFF_MS * 2 ** (attempts - 1));
  const waitMs = Math.max(MIN_WAIT_MS, Math.ceil(asked ?? backoff));
  const isInTime = attempts <= policy.retries && waitedMs + waitMs <= policy.maxTotalWaitMs;
  return isInTime && mayRetry(repeatable, end) ? { retry: true, waitMs } : { retry: false };
}

function mayRetry(repeatable: boolean, end: AttemptEnd): boolean {
  if (end.kind === 'lost' && end.final) return false;
  return wasNotProcessed(end) || (repeatable && mayBeLost(end));
}

/** It arrived too slowly (408) or too often (429), or not at all. */
const wasNotProcessed = (end: AttemptEnd): boolean =>
  end.kind === 'lost' ? end.stage === 'not-sent' : [408, 429].includes(end.status);

/** An answer may have been on its way. */
export const mayBeLost = (end: AttemptEnd): boolean =>
  end.kind === 'lost' ? end.stage !== 'not-sent' : end.status >= 500;

/** Specification 8.1. A date is compared with the answer's own Date, so a wrong local clock does not matter. */
export function readRetryAfter(headers: Readonly<Record<string, string>>, now: EpochMs): Milliseconds | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = parseHttpDate(text);
  const from = parseHttpDate(headers['date'] ?? '') ?? now;
  return at !== undefined && at > from ? at - from : undefined;
}

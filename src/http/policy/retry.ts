import type { Stage } from '../wire/transport.ts';

/** What bounds the retries of one request. */
export interface RetryPolicy {
  readonly retries: number;
  /** Milliseconds that all waiting for one request may take together. */
  readonly patienceMs: number;
}

/** How one try of a request ended, when it was not with success. */
export type TryEnd =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterMs: number | undefined }
  /** `final`: trying again would end the same. */
  | { readonly kind: 'lost'; readonly stage: Stage; readonly final: boolean };

export type Verdict =
  | { readonly again: true; readonly waitMs: number }
  /** `waitMs` where the service named a wait that is beyond what is left of the patience. */
  | { readonly again: false; readonly why: 'final' | 'spent' | 'wait'; readonly waitMs?: number };

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 20_000;
/** No wait is shorter, whatever a server asks for: never a hot loop. */
const SHORTEST_WAIT_MS = 100;

/** The service did not process the request: it came too slowly (408), too early (425) or too often (429). */
const NOT_PROCESSED: readonly number[] = [408, 425, 429];

/**
 * Whether to try again, and after how many milliseconds. Reads are tried again after a lost connection, 408, 425, 429
 * and 5xx; writes only where nothing can have happened: after 408, 425, 429, or when the connection never opened. A Retry-After is obeyed
 * as it is; without one the wait is exponential with full jitter. `tries` counts the tries made, from 1; `waitedMs` is
 * what the request has waited so far; `random` is 0 up to 1.
 */
export function decide(
  write: boolean,
  end: TryEnd,
  tries: number,
  waitedMs: number,
  policy: RetryPolicy,
  random: number,
): Verdict {
  if (!mayHelp(write, end)) return { again: false, why: 'final' };
  const asked = end.kind === 'status' ? end.retryAfterMs : undefined;
  const backoff = random * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tries - 1));
  const waitMs = Math.max(SHORTEST_WAIT_MS, Math.ceil(asked ?? backoff));
  const told = asked === undefined ? {} : { waitMs };
  if (tries > policy.retries) return { again: false, why: 'spent', ...told };
  if (waitedMs + waitMs > policy.patienceMs) return { again: false, why: 'wait', ...told };
  return { again: true, waitMs };
}

function mayHelp(write: boolean, end: TryEnd): boolean {
  switch (end.kind) {
    case 'status':
      return NOT_PROCESSED.includes(end.status) || (!write && end.status >= 500);
    case 'lost':
      return !end.final && (!write || end.stage === 'not-sent');
  }
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const FIXDATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) GMT$/;

/**
 * The milliseconds that a Retry-After asks for: whole seconds (specification 8.1), or a date in HTTP's own form. A date
 * is compared with the answer's own Date, so that a wrong clock of this machine changes nothing; where there is none,
 * with `now` (milliseconds since the epoch). Anything else, negative or past included, is undefined.
 */
export function readRetryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = readDate(text);
  const from = readDate(headers['date'] ?? '') ?? now;
  return at !== undefined && at > from ? at - from : undefined;
}

/** A date in HTTP's own form, in milliseconds since the epoch; undefined for anything else. */
function readDate(text: string): number | undefined {
  const [, day, month, year, time] = FIXDATE.exec(text) ?? [];
  if (day === undefined || month === undefined || year === undefined || time === undefined) return undefined;
  const monthNumber = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
  const at = Date.parse(`${year}-${monthNumber}-${day}T${time}Z`);
  // The date as a calendar has it: no weekday that is wrong, no 30 February.
  return new Date(at).toString() !== 'Invalid Date' && new Date(at).toUTCString() === text ? at : undefined;
}

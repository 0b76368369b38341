import { safeText } from '../core/safe-text.ts';
import type { Bytes, Milliseconds } from '../core/unit-types.ts';
import { formatBytes, formatDuration } from '../core/units.ts';

/** One step of a request, for `--verbose`. No event contains a body; `traceLine` hides secrets in headers. */
export type TraceEvent =
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly bytes: Bytes;
      /** From 1. */
      readonly attempt: number;
    }
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** Size of the decoded body; undefined for a stream. */
      readonly bytes: Bytes | undefined;
      /** Since the request was sent. */
      readonly ms: Milliseconds;
    }
  | { readonly kind: 'lost'; readonly stage: string; readonly reason: string; readonly ms: Milliseconds }
  | { readonly kind: 'wait'; readonly ms: Milliseconds; readonly reason: string };

const SHOWN_HEADERS = ['content-type', 'retry-after', 'ratelimit', 'location', 'x-request-id'];
const SECRET_HEADER = /^(authorization|proxy-authorization|cookie|set-cookie)$|key|token|secret|password/i;

/** Headers with every possible secret replaced by `***`. A bearer token keeps its scheme. */
const redactHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      !SECRET_HEADER.test(name) ? value : value.startsWith('Bearer ') ? 'Bearer ***' : '***',
    ]),
  );

export function traceLine(event: TraceEvent): string {
  switch (event.kind) {
    case 'request': {
      const again = event.attempt > 1 ? ` (try ${String(event.attempt)})` : '';
      const body = event.bytes > 0 ? ` [${formatBytes(event.bytes)}]` : '';
      return safeText(`> ${event.method} ${event.url}${body}${again} ${headerList(redactHeaders(event.headers))}`);
    }
    case 'answer': {
      const size = event.bytes === undefined ? 'stream' : formatBytes(event.bytes);
      const listed = Object.entries(event.headers).filter(([name]) => SHOWN_HEADERS.includes(name));
      const shown = headerList(Object.fromEntries(listed));
      return safeText(`< ${String(event.status)} in ${formatDuration(event.ms)}, ${size} ${shown}`).trimEnd();
    }
    case 'lost':
      return safeText(`< ${event.reason} after ${formatDuration(event.ms)} (${event.stage})`);
    case 'wait':
      return safeText(`  waiting ${formatDuration(event.ms)}: ${event.reason}`);
  }
}

const headerList = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');

/** A valid `traceparent` of the W3C trace context: no zero ids, and not version ff. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** Passes on TRACEPARENT and TRACESTATE unchanged: berth records no span. None if TRACEPARENT is invalid. */
export function traceHeaders(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const traceparent = env['TRACEPARENT']?.trim();
  if (traceparent === undefined || !TRACEPARENT.test(traceparent)) return {};
  const tracestate = env['TRACESTATE']?.trim() ?? '';
  const isUsable = /^[\x20-\x7e]{1,512}$/.test(tracestate);
  return { traceparent, ...(isUsable ? { tracestate } : {}) };
}

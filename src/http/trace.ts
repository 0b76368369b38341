import { safeText } from '../core/safe-text.ts';
import { formatBytes, formatDuration } from '../core/units.ts';

/** One moment of a request, for `--verbose`. No event holds a body, and `authorization` is redacted before it is made. */
export type TraceEvent =
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** 0 where there is no body. */
      readonly bytes: number;
      /** From 1. */
      readonly tries: number;
    }
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** Of the body, decoded; undefined where it goes on, as a stream does. */
      readonly bytes: number | undefined;
      /** Since the request was handed over. */
      readonly ms: number;
    }
  | { readonly kind: 'lost'; readonly stage: string; readonly reason: string; readonly ms: number }
  | { readonly kind: 'wait'; readonly ms: number; readonly reason: string };

/** Headers of an answer that help to find a fault; the others are noise. */
const TELLING = ['content-type', 'retry-after', 'ratelimit', 'location', 'x-request-id'];
const SECRET = /^(authorization|proxy-authorization|cookie|set-cookie)$|key|token|secret|password/i;

/** Headers as they may be shown: whatever may be a secret is `***`, of a bearer token only its scheme stays. */
export const redactHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      !SECRET.test(name) ? value : value.startsWith('Bearer ') ? 'Bearer ***' : '***',
    ]),
  );

/** The line that tells of an event, without a line feed; made harmless for a terminal. */
export function traceLine(event: TraceEvent): string {
  switch (event.kind) {
    case 'request': {
      const again = event.tries > 1 ? ` (try ${String(event.tries)})` : '';
      const body = event.bytes > 0 ? ` [${formatBytes(event.bytes)}]` : '';
      return safeText(`> ${event.method} ${event.url}${body}${again} ${headerList(redactHeaders(event.headers))}`);
    }
    case 'answer': {
      const size = event.bytes === undefined ? 'stream' : formatBytes(event.bytes);
      const telling = Object.entries(event.headers).filter(([name]) => TELLING.includes(name));
      const shown = headerList(Object.fromEntries(telling));
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

import type { Json } from './json.ts';

/** The three addresses: the management API v2, the queue API, and the older volume API v1. */
export type ServiceName = 'base' | 'queue' | 'rest';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A body that is sent byte for byte: the user's own JSON, wrapped or not. */
export interface RawBody {
  readonly raw: Uint8Array;
}

/** Values of one name in a query: one, or several that are sent one after the other. */
export type QueryValue = string | number | boolean | undefined | readonly string[];

/**
 * What an answer must be to count as one; whatever else comes is unreadable (a read ends 7, a write 8).
 * - `object`: a JSON object. A write may also be answered with 204.
 * - `created`: a JSON object whose `id` can be used as one.
 * - `nothing`: no body, or a JSON object that does not report an error.
 * - `chunks`: the answer of a job stream, a JSON array or an object.
 * - `anything`: JSON, or text that does not claim to be JSON.
 * - `list`: a JSON object that holds an array under this name.
 */
export type Expected = 'object' | 'created' | 'nothing' | 'chunks' | 'anything' | { readonly list: string };

/** One request as a command states it. Nothing here is encoded yet: that happens in one place, in `http`. */
export interface ApiRequest {
  readonly service: ServiceName;
  readonly method: Method;
  /** Path segments as they are; each is encoded once. An empty segment, `.` or `..` is refused with exit 2. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json | RawBody;
  /** Milliseconds for the whole exchange, where the command must wait longer than the setting allows. */
  readonly deadlineMs?: number;
  /**
   * Of a stream of events: where none came for so long, it ends as if the server had ended it. Milliseconds of real
   * time; a stream is silent without end where this is absent.
   */
  readonly idleTimeoutMs?: number;
  /** The command line that tells whether a write happened when its answer was lost (exit 8). */
  readonly checkCommand?: string;
  /** The id the request is about, kept in its failures. An answer that names another id is unreadable. */
  readonly id?: string;
  /** What the answer must be: `nothing` for a DELETE and `object` for all others where it is absent. */
  readonly expects?: Expected;
}

/** A readable answer with a 2xx status. */
export interface ApiAnswer {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it came; empty for 204. */
  readonly text: string;
  /** The body decoded; undefined for 204 and for what is not JSON. */
  readonly value: Json | undefined;
}

/** A request as it would go out, for `--dry-run`: address complete, body as sent, key redacted. */
export interface RequestPreview {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Json;
}

/** One server-sent event (RULES: pod and worker logs). */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

/** The only way from a command to a service. Every failure is a Failure. */
export interface Api {
  send(request: ApiRequest): Promise<ApiAnswer>;
  /**
   * A stream of server-sent events, once connected; ends when the server ends it. Fails with `stream-broken` (7) when
   * the connection breaks, and as `send` does where there was none.
   */
  events(request: ApiRequest): AsyncIterable<ServerEvent>;
  /** What `send` would put on the wire. Needs addresses, no key, and sends nothing. */
  preview(request: ApiRequest): Promise<RequestPreview>;
}

/** One rate window as the service last told it (specification 8.1). */
export interface RateWindow {
  readonly name: string;
  /** Requests left, and seconds until the window resets. */
  readonly remaining: number | undefined;
  readonly resetSeconds: number | undefined;
  /** Requests a window, and its length in seconds. */
  readonly quota: number | undefined;
  readonly windowSeconds: number | undefined;
  /** When this was said: milliseconds since the epoch. */
  readonly seenAt: number;
}

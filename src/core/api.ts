import type { CommandLine } from './message.ts';
import type { Json } from './json.ts';
import type { EpochMs, Milliseconds, Seconds } from './unit-types.ts';

/** The three services: the management API v2, the queue API, and the older volume API v1. Each has its own address. */
export type ServiceName = 'base' | 'queue' | 'rest';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A body that is sent byte for byte, such as JSON that the user wrote. */
export interface RawBody {
  readonly raw: Uint8Array;
}

/** The value of one query name. A list is sent as one `name=value` pair for each of its values. */
export type QueryValue = string | number | boolean | undefined | readonly string[];

/**
 * What a valid answer looks like. Any other answer counts as unreadable (a read exits 7, a write 8).
 * - `object`: a JSON object. A write may also be answered with 204.
 * - `created`: a JSON object with a usable `id`.
 * - `resource`: a JSON object with the `id` of the request, of the resource that was changed. An answer without it proves nothing.
 * - `nothing`: no body, or a JSON object that neither reports an error nor names another id than that of the request.
 * - `chunks`: the answer of a job stream, a JSON array or an object.
 * - `anything`: JSON, or text whose content type is not JSON.
 * - `list`: a JSON object that has an array under this name.
 * - `has`: a JSON object that has a text or a number under this name, and the `id` of the request where that has one.
 */
export type Expected =
  | 'object'
  | 'created'
  | 'resource'
  | 'nothing'
  | 'chunks'
  | 'anything'
  | 'bytes'
  | { readonly list: string }
  | { readonly has: string };

/** One request as a command states it. Nothing in it is encoded: `src/http` encodes it when it is sent. */
export interface ApiRequest {
  readonly service: ServiceName;
  readonly method: Method;
  /** Unencoded path segments; each is encoded once. An empty segment, `.` or `..` is refused with usage (2). */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json | RawBody;
  /** Timeout of the whole exchange, when it must differ from the `timeout` setting. */
  readonly deadlineMs?: Milliseconds;
  /**
   * For `events`: ends the stream when no event arrives for this span of real time, as if the server had
   * ended it. A stream has no idle timeout when this is absent.
   */
  readonly idleTimeoutMs?: Milliseconds;
  /**
   * Sending the request twice has the same effect as sending it once, so it is retried after a lost answer and after a
   * 5xx too. True for GET and false for all other methods when absent.
   */
  readonly repeatable?: boolean;
  /** The request is sent once: a failure is an answer too, such as 429 for a command that asks why nothing moves. */
  readonly once?: boolean;
  /** The sender has another way: where nothing is at the address, the request fails at once, with the code `absent`. */
  readonly hasFallback?: boolean;
  /**
   * The request destroys something, so that the `access` setting must be `full`. When absent: true for DELETE and PUT, for
   * the purge of a queue and for the termination of a pod.
   */
  readonly destroys?: boolean;
  /** The command line that shows whether a write was carried out after its answer was lost (exit 8). */
  readonly checkCommand?: CommandLine;
  /** The id the request is about. Failures contain it. An answer that names another id is unreadable. */
  readonly id?: string;
  /** The row that the request changes, as it was read: a dry run shows it beside the body. */
  readonly before?: Json;
  /** What the answer must be: when absent, `nothing` for DELETE and `object` for all other methods. */
  readonly expects?: Expected;
}

/** A read of the management API. */
export const readRequest = (
  path: readonly string[],
  options: Omit<ApiRequest, 'service' | 'method' | 'path'> = {},
): ApiRequest => ({ service: 'base', method: 'GET', path, ...options });

/** A readable answer with a 2xx status. */
export interface ApiAnswer {
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it was received; empty for 204. */
  readonly text: string;
  /** The decoded body; undefined for 204 and for a body that is not JSON. */
  readonly value: Json | undefined;
  /** The body of a request that expects bytes, which are not looked at. */
  readonly bytes?: Uint8Array;
  /** Earlier answers to the same request, sent again, that may have been lost with what was in them; absent for none. */
  readonly lostAnswers?: number;
  /** What a create asked for was there already, by its key: nothing was created. */
  readonly existed?: boolean;
}

/** A request as it would be sent, for `--dry-run`: with the complete address, and with the key redacted. */
export interface RequestPreview {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Json;
}

/** One server-sent event (contract rules, pod and worker logs). */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

/** Sends requests to the services. Every failure is a Failure. */
export interface Api {
  send(request: ApiRequest): Promise<ApiAnswer>;
  /**
   * Opens a stream of server-sent events; it ends when the server ends it. Fails with `stream-broken` (7) when the open
   * connection breaks, and as `send` does before that.
   */
  events(request: ApiRequest): AsyncIterable<ServerEvent>;
  /** Returns what `send` would send. Needs addresses but no key, and sends nothing. */
  preview(request: ApiRequest): Promise<RequestPreview>;
}

/** A request whose address and headers are made once and that is sent many times, each time with another body. */
export interface PreparedRequest {
  /** Sends the request with this body. Fails as `Api.send` does. */
  send(body: Json | RawBody): Promise<ApiAnswer>;
}

/** An Api for thousands of requests. Each request is sent once, without retries. */
export interface BatchApi extends Api {
  /** Prepares a request that has a body. The first `send` makes the address and headers; later ones reuse them. */
  prepare(request: Omit<ApiRequest, 'body'>): PreparedRequest;
}

/** An address of the management API and a key for it, before they are stored. */
export interface LoginApiOptions {
  readonly base: string;
  readonly key: string;
}

export interface BatchApiOptions {
  /** Ends requests in flight. It replaces the Context's own signal, so that Ctrl-C lets their answers arrive. */
  readonly signal: AbortSignal;
  /** Called with the rate windows of every answer that has them. */
  readonly onWindows: (windows: readonly RateWindow[]) => void;
}

/** One rate window as the service last reported it (specification 8.1). */
export interface RateWindow {
  readonly name: string;
  /** Requests left, and the time until the window resets. */
  readonly remaining: number | undefined;
  readonly resetSeconds: Seconds | undefined;
  /** Requests per window, and its length. */
  readonly quota: number | undefined;
  readonly windowSeconds: Seconds | undefined;
  /** When the service reported it. */
  readonly seenAt: EpochMs;
}

/** The rate windows last seen for this profile, kept between commands. */
export interface RememberedLimits {
  read(): Promise<readonly RateWindow[]>;
}

/** A request that is answered with a list. */
export type ListRequest = ApiRequest & { readonly expects: { readonly list: string } };

export const isListRequest = (request: ApiRequest): request is ListRequest =>
  typeof request.expects === 'object' && 'list' in request.expects;

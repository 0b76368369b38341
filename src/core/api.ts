import type { Id } from './ids.ts';
import type { CommandLine } from './message.ts';
import type { Json } from './json.ts';
import type { Milliseconds, Seconds } from './unit-types.ts';

export type ServiceName = 'base' | 'queue' | 'rest';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface RawBody {
  readonly raw: Uint8Array;
}

export type QueryValue = string | number | boolean | undefined | readonly string[];

/** What a valid answer is; any other is unreadable (a read exits 7, a write 8). A write may answer 204. */
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
  readonly deadlineMs?: Milliseconds;
  /** For `events`: the stream ends after this real time without an event. Absent: no idle timeout. */
  readonly idleTimeoutMs?: Milliseconds;
  /** Is also retried after a lost answer and a 5xx. Default: true for GET only. */
  readonly repeatable?: boolean;
  /** The request is sent once: a failure is an answer too, such as 429 for a command that asks why nothing moves. */
  readonly once?: boolean;
  /** Called for each answer that may have been lost with what was in it. */
  readonly onLost?: () => void;
  /** The sender has another way: where nothing is at the address, the request fails at once, with the code `absent`. */
  readonly hasFallback?: boolean;
  /** Needs `access` full. Default: true for DELETE, PUT, a queue purge and the termination of a pod. */
  readonly destroys?: boolean;
  /** The command line that shows whether a write was carried out after its answer was lost (exit 8). */
  readonly checkCommand?: CommandLine;
  /** The id the request is about. Failures contain it. An answer that names another id is unreadable. */
  readonly id?: string;
  /** A dry run prints it too, although it reads. */
  readonly isRecorded?: boolean;
  /** What follows this write, for a dry run, which ends with it: `PATCH its description`. */
  readonly then?: string;
  /** What the answer must be: when absent, `nothing` for DELETE and `object` for all other methods. */
  readonly expects?: Expected;
}

export const readRequest = (
  path: readonly string[],
  options: Omit<ApiRequest, 'service' | 'method' | 'path'> = {},
): ApiRequest => ({ service: 'base', method: 'GET', path, ...options });

export const rowRequest = ({ path }: Pick<ApiRequest, 'path'>, id: Id, query: ApiRequest['query'] = {}): ApiRequest =>
  readRequest([...path, id], { id, query, expects: 'resource' });

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The decoded body; undefined for 204 and for a body that is not JSON. */
  readonly value: Json | undefined;
  readonly bytes?: Uint8Array;
  /** It was as asked before: nothing was done. */
  readonly unchanged?: boolean;
}

/** A request as it would be sent, for `--dry-run`: with the complete address, and with the key redacted. */
export interface RequestPreview {
  readonly method: Method;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Json;
}

export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

export interface Api {
  send(request: ApiRequest): Promise<ApiAnswer>;
  /** Fails with `stream-broken` (7) when the open connection breaks; before that as `send` does. */
  events(request: ApiRequest): AsyncIterable<ServerEvent>;
  /** Returns what `send` would send. Needs addresses but no key, and sends nothing. */
  preview(request: ApiRequest): Promise<RequestPreview>;
}

/** Each request is sent once, without retries. */
export interface BatchApi extends Api {
  prepare(request: Omit<ApiRequest, 'body'>): { send(body: Json | RawBody): Promise<ApiAnswer> };
}

export interface BatchApiOptions {
  /** Ends requests in flight. It replaces the Context's own signal, so that Ctrl-C lets their answers arrive. */
  readonly signal: AbortSignal;
  readonly onWindows?: (windows: readonly RateWindow[]) => void;
}

export interface RateWindow {
  readonly name: string;
  readonly remaining: number | undefined;
  readonly quota: number | undefined;
  readonly resetSeconds: Seconds | undefined;
  readonly windowSeconds: Seconds | undefined;
}

export type ListRequest = ApiRequest & { readonly expects: { readonly list: string } };

export const isListRequest = (request: ApiRequest): request is ListRequest =>
  typeof request.expects === 'object' && 'list' in request.expects;

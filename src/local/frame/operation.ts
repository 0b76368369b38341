import type { Json } from '../../core/json.ts';
import type { Schema } from '../contract/schema.ts';
import type { State } from '../state/state.ts';

/** What a key may do; `*` is everything. Specification 5 names no scopes: these are the local service's own. */
export type Scope = 'read' | 'write' | 'jobs' | 'control';

export type ServiceKind = 'base' | 'queue' | 'rest' | 'control';

/** A request as an operation sees it: authenticated, counted against its limits, its body validated. */
export interface Call {
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** `http://127.0.0.1:8181`: where this request arrived, for links in answers. */
  readonly origin: string;
  /** The body's own text; empty where there was none. */
  readonly bodyText: string;
  readonly body: Json | undefined;
  /** The id of the key that signed. */
  readonly keyId: string;
  /** Aborted when the caller hangs up or the service stops. */
  readonly signal: AbortSignal;
  /**
   * One atomic step on the state as it is now: locked against other processes, brought up to `now` (milliseconds since
   * the epoch on the local service's own clock), saved when the step returns. A step refuses before it changes anything: a store in memory takes nothing back.
   */
  transact<T>(step: (state: State, now: number) => T): Promise<T>;
  /** Sleeps on the local service's clock; `berth local clock advance` cuts it short. Never call inside a step. */
  sleep(milliseconds: number): Promise<void>;
}

export interface Reply {
  readonly status: number;
  /** JSON; absent for 204. */
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  /** A server-sent event stream in place of a body: chunks of text, until it ends or the caller hangs up. */
  readonly stream?: AsyncIterable<string>;
}

/** One row of the table that routes, validates and is published at /v2/openapi.json. */
export interface Operation {
  /** As in the published contract, such as `getPod`. */
  readonly id: string;
  readonly service: ServiceKind;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/v2/pods/{id}` */
  readonly path: string;
  readonly scope: Scope;
  /** The group in the published contract; absent for what is not published (queue, rest, control). */
  readonly tag?: string;
  /** The body's schema: the name of a published one, or one of its own. An operation without one takes no body. */
  readonly body?: string | Schema;
  /** Names of shared parameters, or parameters of its own. */
  readonly parameters?: readonly (
    string | { readonly in: 'query' | 'header'; readonly name: string; readonly schema: Schema }
  )[];
  /** Status to its schema, by name or its own; null for no body. */
  readonly answers?: Readonly<Record<string, string | Schema | null>>;
  run(call: Call): Promise<Reply> | Reply;
}

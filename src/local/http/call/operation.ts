import type { Json } from '../../../core/json.ts';
import type { Row, Scope, ServiceKind } from '../../contract/row.ts';
import { ROWS, type OperationId } from '../../contract/rows.ts';
import type { FaultPoint } from '../../../core/control/fault-kinds.ts';
import type { Problem } from '../../contract/problem.ts';
import type { State } from '../../state/state.ts';
import type { FaultRecord } from './injected-faults.ts';
import type { ServiceSettings } from './settings.ts';
import type { EpochMs, Milliseconds } from '../../../core/unit-types.ts';

/** A request as an operation receives it: authenticated, counted against its limits, its body validated. */
/** Where an SSH server listens. */
export interface ContainerAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * The address of the container of a start of a pod: null while it cannot be reached, undefined where the service runs no
 * containers, so that the address in answers is made up.
 */
export type AddressOf = (podId: string, start: EpochMs | null) => ContainerAddress | null | undefined;

export interface Call {
  readonly operation: Operation;
  readonly settings: ServiceSettings;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The origin the request was sent to, for links in answers: `http://127.0.0.1:8181`. */
  readonly origin: string;
  /** The body as it was sent; empty when there was none. */
  readonly bodyText: string;
  readonly body: Json | undefined;
  /** The id of the key that the request was authenticated with. */
  readonly keyId: string;
  /** What was created in the last so many milliseconds is not there for this call: a fault of a replica that lags. */
  readonly lagMs: Milliseconds;
  /** Where the container of a start of a pod lets SSH in. */
  readonly addressOf: AddressOf;
  /** Aborted when the caller disconnects or the service stops. */
  readonly signal: AbortSignal;
  /** The fault that affects this call at one of these points, counted down; undefined when there is none. */
  takeFault(state: State, points: readonly FaultPoint[]): FaultRecord | undefined;
  /**
   * Runs one atomic step on the current state: locked against other processes, with everything that was due by `now`
   * processed (milliseconds since the epoch on the service's own clock), and saved when the step returns. A step must
   * throw before it changes anything: a state in memory is not rolled back.
   */
  transact<T>(step: (state: State, now: EpochMs) => T): Promise<T>;
  /**
   * Waits on the service's own clock; `berth local clock advance` shortens it. Do not call it inside a step. Rejects when
   * `signal` is aborted, by default the call's.
   */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** True for a row or job that a lagging replica does not have yet. */
export const isTooNew = (createdAt: EpochMs, { lagMs }: Call, now: EpochMs): boolean => now - createdAt < lagMs;

export interface Reply {
  readonly status: number;
  /** JSON; absent for 204. */
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  /** A server-sent event stream instead of a body: chunks of text, until it ends or the caller disconnects. */
  readonly stream?: AsyncIterable<string>;
}

/** One operation of the table that routes, validates and is published at /v2/openapi.json. */
export interface Operation extends Row {
  /** As in the published contract, such as `getPod`. */
  readonly id: string;
  /** Throws the 413 Problem for a body that is too large. It is called before the key is checked. */
  checkSize?(state: State, body: Uint8Array): void;
  run(call: Call): Promise<Reply> | Reply;
  /** Called when a request that was admitted is refused because of its body, before the refusal is answered. */
  readonly onRefused?: (refused: RefusedCall) => Promise<void>;
}

/** A request whose body was refused. */
export interface RefusedCall extends Pick<Call, 'params' | 'transact'> {
  readonly problem: Problem;
}

/** Answers a call with what one step on the state returns: see `Call.transact`. */
export const reply =
  (status: number, step: (state: State, call: Call, now: EpochMs) => Json): Operation['run'] =>
  async (call) => ({ status, body: await call.transact((state, now) => step(state, call, now)) });

/** Answers a call with 204 after one step on the state. */
export const noContent =
  (step: (state: State, call: Call, now: EpochMs) => void): Operation['run'] =>
  async (call) => {
    await call.transact((state, now) => {
      step(state, call, now);
    });
    return { status: 204 };
  };

/** An operation of the published contract. */
export const operation = (
  id: OperationId,
  run: Operation['run'],
  checks: Pick<Operation, 'checkSize'> = {},
): Operation => ({ ...ROWS[id], id, run, ...checks });

type UnpublishedOptions = Pick<Operation, 'run' | 'body' | 'parameters'> & { readonly service?: ServiceKind };

/**
 * An operation that is not in the published contract, by its method and path: `GET /v2/things`. It is routed, validated,
 * counted and authenticated like every other.
 */
export function unpublished(id: string, request: string, { service = 'base', ...rest }: UnpublishedOptions): Operation {
  const [method, path] = request.split(' ') as [Row['method'], string];
  return { id, service, method, path, scope: scopeOf(service, method), ...rest };
}

function scopeOf(service: ServiceKind, method: Row['method']): Scope {
  switch (service) {
    case 'queue':
      return 'jobs';
    case 'control':
      return 'control';
    case 'worker':
      return 'worker';
    case 'base':
    case 'rest':
      return method === 'GET' ? 'read' : 'write';
  }
}

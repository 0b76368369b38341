import type { FaultPoint } from '../../core/fault-kinds.ts';
import type { Json } from '../../core/json.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { type Row, ROWS, type Scope, type ServiceKind } from '../contract/rows.ts';
import { notFound, type Problem } from '../contract/problem.ts';
import type { State, Transact } from '../state/state.ts';
import type { FaultRecord } from './faults.ts';

export interface LocalRequest {
  readonly method: string;
  readonly origin: string;
  /** Encoded, as in the address: without the query, and without the segments `.` and `..`. */
  readonly path: string;
  readonly query: string;
  /** Names are in lower case. Values of a header that was sent several times are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  readonly signal: AbortSignal;
}

export interface LocalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<string | Uint8Array>;
}

export function addressParts(url: string): Pick<LocalRequest, 'origin' | 'path' | 'query'> {
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname, query: search };
}

/** Null while it cannot be reached; undefined where no containers run: answers then make one up. */
export type AddressOf = (
  podId: string,
  start: EpochMs | null,
) => { readonly host: string; readonly port: number } | null | undefined;

export interface ServiceSettings {
  /** Maximum rows of a page, whatever `limit` asks for. */
  readonly pageSize: number;
  /** What the placeholders of secrets begin with: `{{ PREFIX_SECRET_name }}`. */
  readonly secretPrefix: string;
  /** What the key of a pod may do: nothing, or read and stop that pod (additions 11). */
  readonly podKeys: 'refused' | 'own';
}

export const SECRET_PREFIX = 'BERTH';

export type GivenSettings = { readonly [Name in keyof ServiceSettings]?: ServiceSettings[Name] | undefined };

export const settingsOf = (given: GivenSettings): ServiceSettings => {
  const { pageSize = 1000, secretPrefix = SECRET_PREFIX, podKeys = 'refused' } = given;
  return { pageSize, secretPrefix, podKeys };
};

export interface Call extends Pick<LocalRequest, 'headers' | 'origin' | 'signal'> {
  readonly operation: Operation;
  readonly settings: ServiceSettings;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Empty when there was none. */
  readonly bodyText: string;
  /** Decoded and valid: numbers are doubles. Undefined when the operation takes none. */
  readonly body: unknown;
  readonly keyId: string;
  /** Hides what was created in the last `lagMs`: a fault of a replica that lags. */
  readonly lagMs: Milliseconds;
  readonly addressOf: AddressOf;
  takeFault(state: State, points: readonly FaultPoint[]): FaultRecord | undefined;
  /** Atomic across processes, saved on return. Must throw before any change: memory is not rolled back. */
  readonly transact: Transact;
  /** Waits on the service's clock. Never inside a step. Rejects on abort (default: the call's signal). */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

interface Created {
  readonly createdAt: EpochMs;
}

export const isTooNew = (createdAt: EpochMs, { lagMs }: Call, now: EpochMs): boolean => now - createdAt < lagMs;

export const shown = <T extends Created>(rows: readonly T[], call: Call, now: EpochMs) =>
  rows.filter(({ createdAt }) => !isTooNew(createdAt, call, now));

/** Throws the 404 Problem for a record that is not there, or too new for a replica that lags. */
export function found<T extends Created>(record: T | undefined, call: Call, now: EpochMs, detail?: string): T {
  if (record === undefined || isTooNew(record.createdAt, call, now)) throw notFound(detail);
  return record;
}

/** The values of a list parameter, comma-separated or repeated (contract rules, Catalog). Undefined when it was not given. */
export const listIn = (query: URLSearchParams, name: string): readonly string[] | undefined =>
  query.has(name)
    ? query
        .getAll(name)
        .flatMap((given) => given.split(','))
        .filter((item) => item !== '')
    : undefined;

export interface Reply {
  readonly status: number;
  readonly body?: Json;
  readonly stream?: AsyncIterable<string>;
}

export interface Operation extends Row {
  readonly id: string;
  /** Throws the 413 Problem, before the key is checked. */
  checkSize?(state: State, bodyText: string): void;
  run(call: Call): Promise<Reply> | Reply;
  /** Called before the refusal of a request for its body. */
  onRefused?(call: Call, problem: Problem): Promise<void>;
}

/** Its result is the body of the answer; nothing for 204. */
type Step = ((...given: StepArguments) => Json | undefined) | ((...given: StepArguments) => void);
type StepArguments = readonly [state: State, call: Call, now: EpochMs];

export const reply =
  (status: number, step: Step): Operation['run'] =>
  async (call) => {
    const body = await call.transact((state, now) => step(state, call, now) as Json | undefined);
    return body === undefined ? { status: 204 } : { status, body };
  };

export function operation(id: string, run: Operation['run']): Operation {
  const row = ROWS.get(id);
  if (row === undefined) throw new Error(`the contract has no operation ${id}`);
  return { ...row, id, run };
}

/** Operations of the contract that are one step each. */
export const steps = (all: Readonly<Record<string, Step>>): readonly Operation[] =>
  Object.entries(all).map(([id, step]) => operation(id, reply(ROWS.get(id)?.success ?? 200, step)));

const SCOPES: Readonly<Partial<Record<ServiceKind, Scope>>> = { queue: 'jobs', control: 'control', worker: 'worker' };

/** Not published, but routed, validated, counted and authenticated like every other. */
export function unpublished(
  id: string,
  request: string,
  { service = 'base', ...rest }: Pick<Operation, 'run' | 'body' | 'parameters'> & { readonly service?: ServiceKind },
): Operation {
  const [method, path] = request.split(' ') as [Row['method'], string];
  const scope = SCOPES[service] ?? (method === 'GET' ? 'read' : 'write');
  return { id, service, method, path, scope, success: 200, ...rest };
}

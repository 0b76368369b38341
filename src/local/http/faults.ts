import {
  defaultMatch,
  FAULT_SETTINGS,
  type FaultKind,
  faultPoint,
  type FaultPoint,
  type FaultSettingName,
  type RequestFaultKind,
} from '../../core/fault-kinds.ts';
import type { Milliseconds } from '../../core/unit-types.ts';
import { badRequest, forbidden, injected, NO_ROOM, Problem, tooManyRequests } from '../contract/problem.ts';
import { createPart, type State } from '../state/state.ts';

export type FaultRecord = Readonly<Partial<Record<FaultSettingName, number>>> & {
  readonly id: string;
  readonly kind: FaultKind;
  /** Absent: affects every request until it is removed. */
  count?: number;
  readonly probability?: number;
  /** A method, the beginning of a path, or both: `POST`, `/v2/pods`, `POST /v2/echo/run`. */
  readonly match?: string;
  /** Absent: affects every endpoint. */
  readonly endpoint?: string;
  readonly detail?: string;
};

export const faults = createPart<FaultRecord[]>('faults', () => []);

export type FaultedRequest = Readonly<Record<'method' | 'path', string>>;

/** The faults of one request or step: at most one of a kind. */
export type TakenFaults = ReadonlyMap<FaultKind, FaultRecord>;

export function takeFaults(
  injected: FaultRecord[],
  points: readonly FaultPoint[],
  request: FaultedRequest,
  random: () => number,
  most = Infinity,
): TakenFaults {
  const taken = new Map<FaultKind, FaultRecord>();
  for (const fault of injected) {
    if (taken.size >= most || taken.has(fault.kind) || !points.includes(faultPoint(fault.kind))) continue;
    if (!matches(fault, request) || (fault.probability !== undefined && random() >= fault.probability)) continue;
    taken.set(fault.kind, { ...fault });
    if (fault.count !== undefined) fault.count -= 1;
  }
  if (taken.size > 0) injected.splice(0, injected.length, ...injected.filter(({ count }) => count !== 0));
  return taken;
}

export const takeFaultAt = (
  state: State,
  points: readonly FaultPoint[],
  request: FaultedRequest,
  random: () => number,
): FaultRecord | undefined => takeFaults(faults.of(state), points, request, random, 1).values().next().value;

/** The paths of the worker protocol. A fault of any request affects them only when it names them. */
const WORKER_PATHS = '/worker';

function matches({ kind, match = defaultMatch(kind), endpoint }: FaultRecord, { method, path }: FaultedRequest) {
  if (endpoint !== undefined && !path.split('/').includes(endpoint)) return false;
  const isOfWorker = faultPoint(kind) === 'request' && path.startsWith(`${WORKER_PATHS}/`);
  if (match === undefined) return !isOfWorker;
  const [, wantedMethod = method, wantedPath = ''] = /^([A-Za-z]+)?\s*(\/.*)?$/.exec(match.trim()) ?? [undefined, ''];
  if (isOfWorker && !wantedPath.startsWith(WORKER_PATHS)) return false;
  return wantedMethod.toUpperCase() === method && path.startsWith(wantedPath);
}

export const settingOf = (member: FaultSettingName, fault: FaultRecord): number =>
  fault[member] ?? FAULT_SETTINGS[member].fallback;

export function latencyOf(taken: TakenFaults, kind: FaultKind): Milliseconds {
  const fault = taken.get(kind);
  return fault === undefined ? 0 : settingOf('latencyMs', fault);
}

/** Thrown when the connection is to be closed without an answer. */
export class DroppedConnection extends Error {
  override readonly name = 'DroppedConnection';
  override readonly message = 'the connection was dropped';
}

/** Thrown when something in front of the service answers in its place. */
export class ForeignAnswer extends Error {
  override readonly name = 'ForeignAnswer';
  readonly answer = {
    status: 403,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: '<!doctype html><html><head><title>Access denied</title></head><body>Sorry, you have been blocked.</body></html>',
  };
}

/** `admission`: after authentication; `arrival`: before anything is answered. */
type FaultStage = 'arrival' | 'admission' | 'operation' | 'answer';

type FaultEffect = readonly [stage: FaultStage, errorOf: (fault: FaultRecord, request: FaultedRequest) => Error];

/** Those of one stage in their order. The others delay a request, or hide what is newer than their latency. */
const FAULT_EFFECTS: Readonly<Record<Exclude<RequestFaultKind, 'latency' | 'replica-lag'>, FaultEffect>> = {
  drop: ['arrival', () => new DroppedConnection()],
  'server-error': ['arrival', (fault) => injected(settingOf('status', fault))],
  blocked: ['arrival', () => new ForeignAnswer()],
  'rate-limit': [
    'admission',
    (fault) => tooManyRequests('rate limit exceeded for the minute window', settingOf('retryAfter', fault)),
  ],
  'low-balance': ['operation', () => new Problem(402, 'the account balance is too low')],
  refuse: [
    'operation',
    ({ detail }, { path }) => badRequest(detail ?? (path.endsWith('/action') ? NO_ROOM.host : NO_ROOM.none)),
  ],
  forbidden: ['operation', () => forbidden()],
  'accept-drop': ['answer', () => new DroppedConnection()],
};

export function failAt(stage: FaultStage, taken: TakenFaults, request: FaultedRequest): void {
  if (taken.size === 0) return;
  for (const [kind, [failing, errorOf]] of Object.entries(FAULT_EFFECTS)) {
    const fault = taken.get(kind as FaultKind);
    if (fault !== undefined && failing === stage) throw errorOf(fault, request);
  }
}

/** Milliseconds until a worker starts, or that it fails. Counts the fault down: call it once for each start. */
export function takeStartFault(
  state: State,
  { endpointId, workerId }: { readonly endpointId: string; readonly workerId: string },
  random: () => number,
): Milliseconds | 'failed' {
  const path = `${WORKER_PATHS}/${endpointId}/start/${workerId}`;
  const fault = takeFaultAt(state, ['start'], { method: 'POST', path }, random);
  if (fault?.kind === 'worker-failed-start') return 'failed';
  return fault === undefined ? 0 : settingOf('latencyMs', fault);
}

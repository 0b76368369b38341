import {
  defaultMatch,
  faultPoint,
  type FaultKind,
  type FaultPoint,
  type StepFaultKind,
} from '../../../core/control/fault-kinds.ts';
import { createPart } from '../../state/record-table.ts';
import type { Milliseconds, Seconds } from '../../../core/unit-types.ts';

/** A fault that is injected into matching requests until its count is used up or it is removed. */
export interface FaultRecord {
  id: string;
  kind: FaultKind;
  /** How many more requests it affects; every one until it is removed when absent. */
  count?: number;
  /** The probability with which it affects a request: above 0, up to 1. */
  probability?: number;
  /** A method, the beginning of a path, or both: `POST`, `/v2/pods`, `POST /v2/echo/run`. */
  match?: string;
  /** The id of the endpoint whose requests and workers it affects; every one when absent. */
  endpoint?: string;
  /** The status that a server-error answers. */
  status?: number;
  /** The delay of a latency. */
  latencyMs?: Milliseconds;
  /** The text of a refuse. */
  detail?: string;
  /** The Retry-After of a rate-limit. */
  retryAfter?: Seconds;
}

/** The injected faults, in the order they were added. */
export const faults = createPart<FaultRecord[]>('faults', () => []);

export interface FaultedRequest {
  readonly method: string;
  readonly path: string;
}

/** The paths of the worker protocol. A fault of any request affects them only when it names them. */
const WORKER_PATHS = '/worker';

/** Selects the faults that affect a request, at most one of each kind, and counts them down. */
export function takeFaultsOfRequest(
  injected: FaultRecord[],
  request: FaultedRequest,
  random: () => number,
): readonly FaultRecord[] {
  const isWorkers = request.path.startsWith(`${WORKER_PATHS}/`);
  return takeMatching(injected, (fault) => {
    const { kind, match = defaultMatch(kind), probability } = fault;
    if (faultPoint(kind) !== undefined || (isWorkers && match?.includes(WORKER_PATHS) !== true)) return false;
    return matches({ ...fault, match }, request) && (probability === undefined || random() < probability);
  });
}

/** The first fault that affects a request at one of these points, counted down; undefined when there is none. */
export function takeFaultAt(
  injected: FaultRecord[],
  points: readonly FaultPoint[],
  request: FaultedRequest,
  random: () => number,
): (FaultRecord & { readonly kind: StepFaultKind }) | undefined {
  const isAt = ({ kind }: FaultRecord): boolean => points.some((point) => faultPoint(kind) === point);
  const affecting = injected.filter((fault) => isAt(fault) && matches(fault, request));
  const chosen = affecting.find(({ probability }) => probability === undefined || random() < probability);
  const [fault] = takeMatching(injected, (each) => each === chosen);
  return fault as (FaultRecord & { readonly kind: StepFaultKind }) | undefined;
}

/** The faults that affect a request at any of these points, at most one of each kind, counted down. */
export function takeFaultsAt(
  injected: FaultRecord[],
  points: readonly FaultPoint[],
  request: FaultedRequest,
  random: () => number,
): readonly FaultRecord[] {
  return takeMatching(
    injected,
    (fault) =>
      points.some((point) => faultPoint(fault.kind) === point) &&
      matches(fault, request) &&
      (fault.probability === undefined || random() < fault.probability),
  );
}

function takeMatching(injected: FaultRecord[], affects: (fault: FaultRecord) => boolean): readonly FaultRecord[] {
  if (injected.length === 0) return [];
  const taken = new Map<FaultKind, FaultRecord>();
  for (const fault of injected) {
    if (taken.has(fault.kind) || !affects(fault)) continue;
    taken.set(fault.kind, { ...fault });
    if (fault.count !== undefined) fault.count -= 1;
  }
  const left = injected.filter(({ count }) => count === undefined || count > 0);
  injected.splice(0, injected.length, ...left);
  return [...taken.values()];
}

function matches(
  { match, endpoint }: { readonly match?: string | undefined; readonly endpoint?: string },
  request: FaultedRequest,
): boolean {
  if (endpoint !== undefined && !request.path.split('/').includes(endpoint)) return false;
  if (match === undefined) return true;
  const [, method, path] = /^([A-Za-z]+)?\s*(\/.*)?$/.exec(match.trim()) ?? [];
  return (
    (method !== undefined || path !== undefined) &&
    (method === undefined || method.toUpperCase() === request.method) &&
    (path === undefined || request.path.startsWith(path))
  );
}

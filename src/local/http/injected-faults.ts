import {
  defaultMatch,
  type FaultKind,
  faultPoint,
  type FaultPoint,
  type StepFaultKind,
} from '../../core/fault-kinds.ts';
import type { Milliseconds, Seconds } from '../../core/unit-types.ts';
import { createPart } from '../state/state.ts';

export interface FaultRecord {
  id: string;
  kind: FaultKind;
  /** Absent: affects every request until it is removed. */
  count?: number;
  /** Above 0, up to 1. */
  probability?: number;
  /** A method, the beginning of a path, or both: `POST`, `/v2/pods`, `POST /v2/echo/run`. */
  match?: string;
  /** Absent: affects every endpoint. */
  endpoint?: string;
  status?: number;
  latencyMs?: Milliseconds;
  detail?: string;
  retryAfter?: Seconds;
}

/** In the order they were added. */
export const faults = createPart<FaultRecord[]>('faults', () => []);

export interface FaultedRequest {
  readonly method: string;
  readonly path: string;
}

/** The paths of the worker protocol. A fault of any request affects them only when it names them. */
const WORKER_PATHS = '/worker';

/** At most one of each kind; counts them down. */
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

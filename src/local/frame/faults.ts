import { defaultMatch, type FaultKind } from '../../core/fault-kinds.ts';
import { createPart } from '../state/shelf.ts';

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
  /** The status that a server-error answers. */
  status?: number;
  /** The delay of a latency. */
  latencyMs?: number;
  /** The Retry-After of a rate-limit, in seconds. */
  retryAfter?: number;
}

/** The injected faults, in the order they were added. */
export const faults = createPart<FaultRecord[]>('faults', () => []);

/** Selects the faults that affect a request, at most one of each kind, and counts them down. */
export function takeFaults(
  injected: FaultRecord[],
  request: { readonly method: string; readonly path: string },
  random: () => number,
): readonly FaultRecord[] {
  const taken = new Map<FaultKind, FaultRecord>();
  for (const fault of injected) {
    if (taken.has(fault.kind) || !matches(fault.match ?? defaultMatch(fault.kind), request)) continue;
    if (fault.probability !== undefined && random() >= fault.probability) continue;
    taken.set(fault.kind, { ...fault });
    if (fault.count !== undefined) fault.count -= 1;
  }
  const left = injected.filter(({ count }) => count === undefined || count > 0);
  injected.splice(0, injected.length, ...left);
  return [...taken.values()];
}

function matches(match: string | undefined, request: { readonly method: string; readonly path: string }): boolean {
  if (match === undefined) return true;
  const [, method, path] = /^([A-Za-z]+)?\s*(\/.*)?$/.exec(match.trim()) ?? [];
  return (
    (method !== undefined || path !== undefined) &&
    (method === undefined || method.toUpperCase() === request.method) &&
    (path === undefined || request.path.startsWith(path))
  );
}

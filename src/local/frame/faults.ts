export const FAULT_KINDS = ['rate-limit', 'server-error', 'latency', 'drop', 'accept-drop', 'low-balance'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A fault that requests run into until it is used up or cleared. */
export interface FaultRecord {
  id: string;
  kind: FaultKind;
  /** Requests it still strikes; without it, every one until it is cleared. */
  count?: number;
  /** Above 0, up to 1: how often it strikes. */
  probability?: number;
  /** `POST`, `/v2/pods` or `POST /v2/echo/run`: a method, the beginning of a path, or both. */
  match?: string;
  /** Of a server-error; 503 where absent. */
  status?: number;
  /** Of a latency; 1000 where absent. */
  latencyMs?: number;
  /** Seconds, of a rate-limit; 1 where absent. */
  retryAfter?: number;
}

/** What a fault strikes that does not say: an empty account cannot start anything, and can look. */
const DEFAULT_MATCH: Readonly<Partial<Record<FaultKind, string>>> = { 'low-balance': 'POST' };

/** What strikes one request: at most one fault of each kind, counted down as it is taken. */
export function strike(
  faults: FaultRecord[],
  request: { readonly method: string; readonly path: string },
  random: () => number,
): readonly FaultRecord[] {
  const struck = new Map<FaultKind, FaultRecord>();
  for (const fault of faults) {
    if (struck.has(fault.kind) || !matches(fault.match ?? DEFAULT_MATCH[fault.kind], request)) continue;
    if (fault.probability !== undefined && random() >= fault.probability) continue;
    struck.set(fault.kind, { ...fault });
    if (fault.count !== undefined) fault.count -= 1;
  }
  const left = faults.filter(({ count }) => count === undefined || count > 0);
  faults.splice(0, faults.length, ...left);
  return [...struck.values()];
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

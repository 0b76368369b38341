import type { Call } from '../../frame/operation.ts';
import { Problem } from '../../contract/problem.ts';
import type { EndpointRecord } from '../../model/endpoints/record.ts';
import type { State } from '../../state/state.ts';
import { laneOf, workersIn } from '../state/endpoint-queue.ts';

interface Limit {
  /** Requests in ten seconds, and requests at once, of one endpoint and user. */
  readonly inWindow: number;
  readonly atOnce: number;
}

const WINDOW_MS = 10_000;

/** Known limits per endpoint and user (contract rules, Queue API). Of other operations none is known. */
const LIMITS: Readonly<Record<string, Limit>> = {
  run: { inWindow: 1000, atOnce: 200 },
  runsync: { inWindow: 2000, atOnce: 400 },
  status: { inWindow: 2000, atOnce: 400 },
  stream: { inWindow: 2000, atOnce: 400 },
  cancel: { inWindow: 100, atOnce: 20 },
  'purge-queue': { inWindow: 2, atOnce: Number.POSITIVE_INFINITY },
};

/** Counts the requests that are being answered now, in this process. */
export interface Gate {
  /** Runs work as one request more; fails with Problem 429 where that is one too many. */
  through<T>(call: Call, operation: string, work: () => Promise<T>): Promise<T>;
}

/** A gate that lets everything through. */
export const openGate: Gate = { through: (_call, _operation, work) => work() };

/** A gate that holds the known limits: windows in the state, requests at once in this process. */
export function limitedGate(): Gate {
  const atOnce = new Map<string, number>();
  return {
    through: async (call, operation, work) => {
      const limit = LIMITS[operation];
      if (limit === undefined) return work();
      const name = `${call.keyId} ${call.params.endpointId ?? ''} ${operation}`;
      const active = (atOnce.get(name) ?? 0) + 1;
      atOnce.set(name, active);
      try {
        await call.transact((state, now) => {
          const most = capacityOf(state.endpoints[call.params.endpointId ?? ''], state);
          if (active > Math.max(limit.atOnce, most)) throw tooMany(`${operation}: too many requests at once`, 1);
          countRequest(state, name, operation, Math.max(limit.inWindow, most), now);
        });
        return await work();
      } finally {
        atOnce.set(name, (atOnce.get(name) ?? 1) - 1);
      }
    },
  };
}

/** Workers times requests per worker: where that is higher than a limit, it is the limit. */
function capacityOf(endpoint: EndpointRecord | undefined, state: State): number {
  if (endpoint === undefined) return 0;
  const perWorker = endpoint.scaling.type === 'REQUEST_COUNT' ? endpoint.scaling.requestCount : 1;
  return workersIn(laneOf(state, endpoint.id)).length * perWorker;
}

function countRequest(state: State, name: string, operation: string, most: number, now: number): void {
  const { windows } = state.queue;
  const known = windows[name];
  const window = known === undefined || now >= known.from + WINDOW_MS ? { from: now, count: 0 } : known;
  if (window.count >= most) {
    const seconds = Math.max(1, Math.ceil((window.from + WINDOW_MS - now) / 1000));
    throw tooMany(`${operation}: more than ${String(most)} requests in 10 seconds`, seconds);
  }
  windows[name] = { from: window.from, count: window.count + 1 };
}

const tooMany = (detail: string, seconds: number): Problem =>
  new Problem(429, 'Too Many Requests', detail, undefined, { 'retry-after': String(seconds) });

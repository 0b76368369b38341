import type { Call } from '../../http/call/operation.ts';
import { Problem } from '../../contract/problem.ts';
import type { EndpointRecord } from '../../model/endpoints/record.ts';
import type { State } from '../../state/state.ts';
import { queueOf, workersIn } from '../state/endpoint-queue.ts';
import { endpoints } from '../../model/endpoints/seed.ts';
import { queuesOf } from '../state/records.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

interface Limit {
  /** Requests per ten seconds, for one endpoint and key. */
  readonly perWindow: number;
  /** Concurrent requests, for one endpoint and key. */
  readonly concurrent: number;
}

const WINDOW_MS = 10_000;

/** The known limits per endpoint and key (contract rules, Queue API). Other operations have none. */
const LIMITS: Readonly<Record<string, Limit>> = {
  run: { perWindow: 1000, concurrent: 200 },
  runsync: { perWindow: 2000, concurrent: 400 },
  status: { perWindow: 2000, concurrent: 400 },
  stream: { perWindow: 2000, concurrent: 400 },
  cancel: { perWindow: 100, concurrent: 20 },
  'purge-queue': { perWindow: 2, concurrent: Number.POSITIVE_INFINITY },
};

/** Limits requests of the queue operations. */
export interface RequestLimiter {
  /** Runs a request; fails with Problem 429 when a limit is exceeded. */
  run<T>(call: Call, operation: string, work: () => Promise<T>): Promise<T>;
}

/** Applies no limits. */
export const noLimits: RequestLimiter = { run: (_call, _operation, work) => work() };

/** Applies the known limits: windows are counted in the state, concurrent requests in this process. */
export function knownLimits(): RequestLimiter {
  const active = new Map<string, number>();
  return {
    run: async (call, operation, work) => {
      const limit = LIMITS[operation];
      if (limit === undefined) return work();
      const name = `${call.keyId} ${call.params.endpointId ?? ''} ${operation}`;
      const count = (active.get(name) ?? 0) + 1;
      active.set(name, count);
      try {
        await call.transact((state, now) => {
          const endpoint = endpoints.get(state, call.params.endpointId ?? '');
          // The operation answers 404. Counting would keep something of every name that is requested.
          if (endpoint === undefined) return;
          const capacity = capacityOf(endpoint, state);
          if (count > Math.max(limit.concurrent, capacity)) throw tooMany(`${operation}: too many requests at once`, 1);
          countRequest(state, name, operation, Math.max(limit.perWindow, capacity), now);
        });
        return await work();
      } finally {
        const left = (active.get(name) ?? 1) - 1;
        if (left > 0) active.set(name, left);
        else active.delete(name);
      }
    },
  };
}

/** Workers times requests per worker. A limit is never lower than this. */
function capacityOf(endpoint: EndpointRecord, state: State): number {
  const perWorker = endpoint.scaling.type === 'REQUEST_COUNT' ? endpoint.scaling.requestCount : 1;
  return workersIn(queueOf(state, endpoint.id)).length * perWorker;
}

function countRequest(state: State, name: string, operation: string, most: number, now: EpochMs): void {
  const { windows } = queuesOf(state);
  for (const [each, { from }] of Object.entries(windows))
    if (now >= from + WINDOW_MS) Reflect.deleteProperty(windows, each);
  const window = windows[name] ?? { from: now, count: 0 };
  if (window.count >= most) {
    const seconds = Math.max(1, Math.ceil((window.from + WINDOW_MS - now) / 1000));
    throw tooMany(`${operation}: more than ${String(most)} requests in 10 seconds`, seconds);
  }
  windows[name] = { from: window.from, count: window.count + 1 };
}

const tooMany = (detail: string, seconds: number): Problem =>
  new Problem(429, 'Too Many Requests', detail, undefined, { 'retry-after': String(seconds) });

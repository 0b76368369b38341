import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { Problem } from '../contract/problem.ts';
import type { Call } from '../http/operation.ts';
import { type EndpointRecord, endpoints } from '../model/endpoints.ts';
import type { State } from '../state/state.ts';
import { queueOf, workersIn } from './records.ts';

interface Limit {
  /** Requests per ten seconds, for one endpoint and key. */
  readonly perWindow: number;
  /** Concurrent requests, for one endpoint and key. */
  readonly concurrent: number;
}

const WINDOW_MS: Milliseconds = 10_000;

/** The known limits per endpoint and key (contract rules, Queue API). Other operations have none. */
const LIMITS: Readonly<Record<string, Limit>> = {
  run: { perWindow: 1000, concurrent: 200 },
  runsync: { perWindow: 2000, concurrent: 400 },
  status: { perWindow: 2000, concurrent: 400 },
  stream: { perWindow: 2000, concurrent: 400 },
  cancel: { perWindow: 100, concurrent: 20 },
  'purge-queue': { perWindow: 2, concurrent: Number.POSITIVE_INFINITY },
};

/** Runs the work of an operation. Problem 429 when a limit is exceeded. */
export type LimitRequests = <T>(call: Call, operation: string, work: () => Promise<T>) => Promise<T>;

interface Usage {
  active: number;
  /** Start of the present window. */
  from: EpochMs;
  count: number;
}

/** Counted in this process: the processes of `--local` are too short to reach a limit. */
export function knownLimits(): LimitRequests {
  const usages = new Map<string, Usage>();
  return async (call, operation, work) => {
    const limit = LIMITS[operation];
    const { endpointId = '' } = call.params;
    if (limit === undefined) return work();
    const name = `${call.keyId} ${endpointId} ${operation}`;
    const usage = await call.transact((state, now) => {
      const endpoint = endpoints.get(state, endpointId);
      // The operation answers 404. Counting would keep every name that is requested.
      return endpoint && count(usages, name, operation, limit, capacityOf(endpoint, state), now);
    });
    try {
      return await work();
    } finally {
      if (usage !== undefined) usage.active -= 1;
    }
  };
}

/** Workers times requests per worker. A limit is never lower than this. */
function capacityOf(endpoint: EndpointRecord, state: State): number {
  const perWorker = endpoint.scaling.type === 'REQUEST_COUNT' ? endpoint.scaling.requestCount : 1;
  return workersIn(queueOf(state, endpoint.id)).length * perWorker;
}

function count(
  usages: Map<string, Usage>,
  name: string,
  operation: string,
  limit: Limit,
  capacity: number,
  now: EpochMs,
): Usage {
  const usage = usages.get(name) ?? { active: 0, from: now, count: 0 };
  usages.set(name, usage);
  if (now >= usage.from + WINDOW_MS) Object.assign(usage, { from: now, count: 0 });
  const most = Math.max(limit.perWindow, capacity);
  if (usage.active >= Math.max(limit.concurrent, capacity)) throw tooMany(`${operation}: too many requests at once`, 1);
  if (usage.count >= most) {
    const seconds = Math.max(1, Math.ceil((usage.from + WINDOW_MS - now) / 1000));
    throw tooMany(`${operation}: more than ${String(most)} requests in 10 seconds`, seconds);
  }
  usage.active += 1;
  usage.count += 1;
  return usage;
}

const tooMany = (detail: string, seconds: number): Problem =>
  new Problem(429, 'Too Many Requests', detail, undefined, { 'retry-after': String(seconds) });

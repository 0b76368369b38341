import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { Problem } from '../contract/problem.ts';
import type { Call } from '../http/operation.ts';
import { endpoints } from '../model/endpoints.ts';
import { queueOf, workersIn } from './records.ts';

const WINDOW_MS: Milliseconds = 10_000;

/** For one endpoint and key, requests in ten seconds and at once (contract rules, Queue API). Others have no limit. */
const LIMITS: Readonly<Record<string, readonly [inWindow: number, atOnce: number]>> = {
  run: [1000, 200],
  runsync: [2000, 400],
  status: [2000, 400],
  stream: [2000, 400],
  cancel: [100, 20],
  'purge-queue': [2, Infinity],
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
    const usage = await call.transact((state, now) => {
      const endpoint = endpoints.get(state, endpointId);
      // The operation answers 404. Counting would keep every name that is requested.
      if (endpoint === undefined) return undefined;
      const { scaling } = endpoint;
      // Workers times requests per worker. A limit is never lower than this.
      const capacity =
        workersIn(queueOf(state, endpointId)).length * (scaling.type === 'REQUEST_COUNT' ? scaling.requestCount : 1);
      const [inWindow, atOnce] = limit.map((each) => Math.max(each, capacity)) as [number, number];
      const name = `${call.keyId} ${endpointId} ${operation}`;
      const known = usages.get(name) ?? { active: 0, from: now, count: 0 };
      usages.set(name, known);
      if (now >= known.from + WINDOW_MS) Object.assign(known, { from: now, count: 0 });
      if (known.active >= atOnce) throw tooMany(`${operation}: too many requests at once`, 1);
      const seconds = Math.max(1, Math.ceil((known.from + WINDOW_MS - now) / 1000));
      if (known.count >= inWindow)
        throw tooMany(`${operation}: more than ${String(inWindow)} requests in 10 seconds`, seconds);
      known.active += 1;
      known.count += 1;
      return known;
    });
    try {
      return await work();
    } finally {
      if (usage !== undefined) usage.active -= 1;
    }
  };
}

const tooMany = (detail: string, seconds: number): Problem =>
  new Problem(429, 'Too Many Requests', detail, undefined, { 'retry-after': String(seconds) });

import { MINUTE_MS } from '../../../core/durations.ts';
import { isUsableId } from '../../../core/ids.ts';
import { numberAt, stringAt } from '../../../core/json.ts';
import { type Fleet } from './fleet.ts';
import { idOf } from '../../../output/view.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';

/** What `top` shows. */
export interface Shown {
  readonly pods: boolean;
  readonly endpoints: boolean;
}

/** The requests of one tick. */
export interface Due {
  readonly pods: boolean;
  /** The list of endpoints. */
  readonly endpoints: boolean;
  /** The billing reports of today. */
  readonly spent: boolean;
  /** The workers of all endpoints with their prices, and the volumes. */
  readonly otherCosts: boolean;
  /** The endpoints whose health is read, the longest unread first. */
  readonly health: readonly string[];
}

/** The list of endpoints changes rarely, and costs are billed slowly. */
const ENDPOINTS_EVERY_MS: Milliseconds = 30_000;
export const COSTS_EVERY_MS = MINUTE_MS;
/** The most endpoints whose health is read in one tick: of more, those with jobs are read more often. */
export const HEALTH_PER_TICK = 8;
/** How much more often the health of an endpoint with jobs is read. */
const ACTIVE_WEIGHT = 4;

/**
 * What is to be read now: one request for all pods, and at most eight for the health of endpoints. `now` is monotonic
 * milliseconds.
 */
export function dueReads(fleet: Fleet, shown: Shown, now: number): Due {
  const isOld = (at: number | undefined, everyMs: Milliseconds): boolean => at === undefined || now - at >= everyMs;
  return {
    pods: shown.pods,
    endpoints: shown.endpoints && isOld(fleet.endpoints?.at, ENDPOINTS_EVERY_MS),
    spent: isOld(fleet.spent?.at, COSTS_EVERY_MS),
    otherCosts: shown.endpoints && fleet.endpoints !== undefined && isOld(fleet.otherCosts?.at, COSTS_EVERY_MS),
    health: shown.endpoints ? dueHealth(fleet, now).slice(0, HEALTH_PER_TICK) : [],
  };
}

/** The endpoints with a queue, those that wait longest first. A load balancer has no queue (contract rules, Serverless). */
function dueHealth({ endpoints, health, failed }: Fleet, now: number): readonly string[] {
  const ids = (endpoints?.value ?? []).flatMap((row) =>
    stringAt(row, 'type') === 'LOAD_BALANCER' || !isUsableId(idOf(row)) ? [] : [idOf(row)],
  );
  const urgency = (id: string): number => {
    const last = health.get(id)?.at(-1);
    const asked = Math.max(last?.at ?? -Infinity, failed.get(id) ?? -Infinity);
    const jobs = ['jobs.inQueue', 'jobs.inProgress'].map((path) => numberAt(last?.row, path) ?? 0);
    return (now - asked + 1) * (jobs.some((count) => count > 0) ? ACTIVE_WEIGHT : 1);
  };
  return [...ids].sort((a, b) => (urgency(b) === urgency(a) ? 0 : urgency(b) - urgency(a)));
}

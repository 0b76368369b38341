import type { Fleet } from './fleet.ts';
import { isUsableId } from '../../core/ids.ts';
import { numberAt, stringAt } from '../../core/json.ts';
import { type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { idOf } from '../../output/view.ts';

export interface Shown {
  readonly pods: boolean;
  readonly endpoints: boolean;
}

export interface Due {
  readonly pods: boolean;
  readonly endpoints: boolean;
  readonly spent: boolean;
  readonly otherCosts: boolean;
  /** Longest unread first. */
  readonly health: readonly string[];
}

/** The list changes rarely, and billing is slow. */
const ENDPOINTS_EVERY_MS: Milliseconds = 30_000;
export const COSTS_EVERY_MS = MINUTE_MS;
/** Beyond that, endpoints with jobs are read more often. */
export const HEALTH_PER_TICK = 8;
const ACTIVE_WEIGHT = 4;

/** One request for all pods, at most eight for health. `now` is monotonic milliseconds. */
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

/** Longest waiting first. A load balancer has no queue (contract rules, Serverless). */
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

import { HOUR_MS } from '../../../core/durations.ts';
import { isDeepStrictEqual } from 'node:util';
import type { State } from '../../state/state.ts';
import { workersIn } from '../state/endpoint-queue.ts';
import { queuesOf, type Queues, type Usage, type Worker } from '../state/records.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

/** How long usage is kept: two years. */
const RETENTION_MS = 2 * 366 * 24 * HOUR_MS;

/**
 * What all workers, ended and running, have used until `now`, for billing. A worker is counted from its start,
 * including the cold start, to its end.
 */
export const usageOf = (state: State, now: EpochMs): readonly Usage[] => [
  ...Object.values(queuesOf(state).usage).flat(),
  ...Object.values(queuesOf(state).byEndpoint)
    .flatMap(workersIn)
    .map((worker) => spanOf(worker, worker.startedAt, now)),
];

/** Records what an ended worker has used. */
export function recordUsage(queues: Queues, worker: Worker, endedAt: number): void {
  const kept = (queues.usage[worker.endpointId] ?? []).filter(({ to }) => to > endedAt - RETENTION_MS);
  const { startedAt } = worker;
  const firstHour = Math.ceil(startedAt / HOUR_MS) * HOUR_MS;
  const lastHour = Math.floor(endedAt / HOUR_MS) * HOUR_MS;
  if (firstHour > lastHour) addToHour(kept, worker, startedAt, endedAt);
  else {
    addToHour(kept, worker, startedAt, firstHour);
    if (firstHour < lastHour) kept.push(spanOf(worker, firstHour, lastHour));
    addToHour(kept, worker, lastHour, endedAt);
  }
  queues.usage[worker.endpointId] = kept;
}

function addToHour(usage: Usage[], worker: Worker, from: number, to: number): void {
  if (from === to) return;
  const hour = Math.floor(from / HOUR_MS) * HOUR_MS;
  const added = { ...spanOf(worker, hour, hour + HOUR_MS), workerMs: to - from };
  const index = usage.findLastIndex((known) => isDeepStrictEqual({ ...known, workerMs: 0 }, { ...added, workerMs: 0 }));
  const known = usage[index];
  if (known === undefined) usage.push(added);
  else usage[index] = { ...known, workerMs: known.workerMs + added.workerMs };
}

const spanOf = ({ endpointId, hardware, disk }: Worker, from: number, to: number): Usage => ({
  endpointId,
  ...hardware,
  disk,
  from,
  to,
  workerMs: to - from,
});

import { isDeepStrictEqual } from 'node:util';
import type { State } from '../../state/state.ts';
import { workersIn } from '../state/endpoint-queue.ts';
import type { QueueState, Usage, Worker } from '../state/records.ts';

const HOUR = 3_600_000;
/** For how long it is remembered what was used: two years. */
const KEPT = 2 * 366 * 24 * HOUR;

/**
 * What all workers used up to a moment, for billing to add up: of those that have ended, and so far of those that have
 * not. A worker counts from its start, its cold start included, to its end. Spans reach over hours where one worker did.
 */
export const usageOf = (state: State, now: number): readonly Usage[] => [
  ...Object.values(state.queue.usage).flat(),
  ...Object.values(state.queue.lanes)
    .flatMap(workersIn)
    .map((worker) => spanOf(worker, worker.startedAt, now)),
];

/** Keeps what an ended worker used. */
export function keepUsage(queue: QueueState, worker: Worker, endedAt: number): void {
  const kept = (queue.usage[worker.endpointId] ?? []).filter(({ to }) => to > endedAt - KEPT);
  const { startedAt } = worker;
  const firstHour = Math.ceil(startedAt / HOUR) * HOUR;
  const lastHour = Math.floor(endedAt / HOUR) * HOUR;
  if (firstHour > lastHour) addToHour(kept, worker, startedAt, endedAt);
  else {
    addToHour(kept, worker, startedAt, firstHour);
    if (firstHour < lastHour) kept.push(spanOf(worker, firstHour, lastHour));
    addToHour(kept, worker, lastHour, endedAt);
  }
  queue.usage[worker.endpointId] = kept;
}

function addToHour(usage: Usage[], worker: Worker, from: number, to: number): void {
  if (from === to) return;
  const hour = Math.floor(from / HOUR) * HOUR;
  const added = { ...spanOf(worker, hour, hour + HOUR), workerMs: to - from };
  const place = usage.findLastIndex((known) => isDeepStrictEqual({ ...known, workerMs: 0 }, { ...added, workerMs: 0 }));
  const known = usage[place];
  if (known === undefined) usage.push(added);
  else usage[place] = { ...known, workerMs: known.workerMs + added.workerMs };
}

const spanOf = ({ endpointId, hardware, disk }: Worker, from: number, to: number): Usage => ({
  endpointId,
  ...hardware,
  disk,
  from,
  to,
  workerMs: to - from,
});

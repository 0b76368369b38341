import type { EndpointRecord } from '../../model/endpoints.ts';
import type { State } from '../../state/state.ts';
import { jobsOfLine, queueOf, waitingCount } from '../state/endpoint-queue.ts';

/** QUEUE_DELAY: one when a job waits, one more per overdue job. A worker with several jobs counts once. */
export function wantedWorkers(state: State, endpoint: EndpointRecord, at: number): number {
  const { min, max } = endpoint.workers;
  return Math.min(max, Math.max(min, byDemand(state, endpoint, at)));
}

function byDemand(state: State, endpoint: EndpointRecord, at: number): number {
  const queue = queueOf(state, endpoint.id);
  const waiting = waitingCount(queue);
  switch (endpoint.scaling.type) {
    case 'REQUEST_COUNT':
      return Math.ceil((waiting + queue.inProgress) / endpoint.scaling.requestCount);
    case 'QUEUE_DELAY': {
      const running = queue.workerCounts.RUNNING;
      return waiting === 0 ? running : Math.max(1, running + overdue(state, endpoint, at));
    }
  }
}

/** Counts no further than the maximum number of workers. */
function overdue(state: State, endpoint: EndpointRecord, at: number): number {
  const queue = queueOf(state, endpoint.id);
  const since = at - delayOf(endpoint);
  let count = 0;
  for (const line of [queue.waiting, queue.waitingLow])
    for (const { queuedAt } of jobsOfLine(state, line)) {
      if (count >= endpoint.workers.max || queuedAt > since) break;
      count += 1;
    }
  return count;
}

export function nextOverdueAt(state: State, endpoint: EndpointRecord, at: number): number | undefined {
  if (endpoint.scaling.type !== 'QUEUE_DELAY') return undefined;
  const queue = queueOf(state, endpoint.id);
  const delay = delayOf(endpoint);
  const times: number[] = [];
  for (const line of [queue.waiting, queue.waitingLow]) {
    let seen = 0;
    for (const { queuedAt } of jobsOfLine(state, line)) {
      if (queuedAt + delay > at) times.push(queuedAt + delay);
      // With this many overdue jobs, the number of workers is already the maximum.
      if (queuedAt + delay > at || ++seen > endpoint.workers.max) break;
    }
  }
  return times.length === 0 ? undefined : Math.min(...times);
}

/** How long a job may wait before another worker is started for it. Milliseconds. */
export const delayOf = (endpoint: EndpointRecord): number =>
  endpoint.scaling.type === 'QUEUE_DELAY' ? endpoint.scaling.queueDelay * 1000 : 0;

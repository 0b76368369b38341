import type { EndpointRecord } from '../../model/endpoints/record.ts';
import type { State } from '../../state/state.ts';
import { queueOf, waitingCount } from '../state/endpoint-queue.ts';
import { queuesOf } from '../state/records.ts';

/**
 * How many workers an endpoint should have, between its minimum and maximum. With REQUEST_COUNT one per `requestCount` jobs
 * that wait or run; with QUEUE_DELAY one as soon as a job waits, and one more for each job that has waited longer than the
 * delay.
 */
export function wantedWorkers(state: State, endpoint: EndpointRecord, at: number): number {
  const { min, max } = endpoint.workers;
  return Math.min(max, Math.max(min, byDemand(state, endpoint, at)));
}

function byDemand(state: State, endpoint: EndpointRecord, at: number): number {
  const queue = queueOf(state, endpoint.id);
  const busy = queue.inProgress;
  const waiting = waitingCount(queue);
  switch (endpoint.scaling.type) {
    case 'REQUEST_COUNT':
      return Math.ceil((waiting + busy) / endpoint.scaling.requestCount);
    case 'QUEUE_DELAY':
      return waiting === 0 ? busy : Math.max(1, busy + overdue(state, endpoint, at));
  }
}

/** How many jobs have waited longer than the delay; counts up to the maximum number of workers. */
function overdue(state: State, endpoint: EndpointRecord, at: number): number {
  const queue = queueOf(state, endpoint.id);
  const since = at - delayOf(endpoint);
  let count = 0;
  for (const line of [queue.waiting, queue.waitingLow])
    for (const jobId of line) {
      const job = queuesOf(state).jobs[jobId];
      if (count >= endpoint.workers.max || job === undefined || job.queuedAt > since) break;
      count += 1;
    }
  return count;
}

/** How long a job may wait before another worker is started for it. Milliseconds. */
export const delayOf = (endpoint: EndpointRecord): number =>
  endpoint.scaling.type === 'QUEUE_DELAY' ? endpoint.scaling.queueDelay * 1000 : 0;

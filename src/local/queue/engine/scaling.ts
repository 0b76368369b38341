import type { EndpointRecord } from '../../model/endpoints/record.ts';
import type { State } from '../../state/state.ts';
import { laneOf, waitingIn } from '../state/endpoint-queue.ts';

/**
 * How many workers an endpoint should have. REQUEST_COUNT: one for every so many jobs that wait or run. QUEUE_DELAY: one
 * as soon as anything waits, then one more for each job that has waited longer than the delay. Never fewer than min,
 * never more than max.
 */
export function wantedWorkers(state: State, endpoint: EndpointRecord, at: number): number {
  const { min, max } = endpoint.workers;
  return Math.min(max, Math.max(min, byDemand(state, endpoint, at)));
}

function byDemand(state: State, endpoint: EndpointRecord, at: number): number {
  const lane = laneOf(state, endpoint.id);
  const busy = lane.inProgress;
  const waiting = waitingIn(lane);
  switch (endpoint.scaling.type) {
    case 'REQUEST_COUNT':
      return Math.ceil((waiting + busy) / endpoint.scaling.requestCount);
    case 'QUEUE_DELAY':
      return waiting === 0 ? busy : Math.max(1, busy + overdue(state, endpoint, at));
  }
}

/** Jobs that have waited longer than the delay, counted no further than the endpoint has workers. */
function overdue(state: State, endpoint: EndpointRecord, at: number): number {
  const lane = laneOf(state, endpoint.id);
  const since = at - delayOf(endpoint);
  let count = 0;
  for (const line of [lane.waiting, lane.waitingLow])
    for (const jobId of line) {
      const job = state.queue.jobs[jobId];
      if (count >= endpoint.workers.max || job === undefined || job.queuedAt > since) break;
      count += 1;
    }
  return count;
}

/** Milliseconds a job may wait before it calls for a worker of its own. */
export const delayOf = (endpoint: EndpointRecord): number =>
  endpoint.scaling.type === 'QUEUE_DELAY' ? endpoint.scaling.queueDelay * 1000 : 0;

import type { State } from '../../state/state.ts';
import { newEndpointQueue, queuesOf, type EndpointQueue, type Job, type Worker } from './records.ts';

/** The queue of an endpoint; it is created when there is none. */
export function queueOf(state: State, endpointId: string): EndpointQueue {
  return (queuesOf(state).byEndpoint[endpointId] ??= newEndpointQueue());
}

/** The number of waiting jobs. */
export const waitingCount = (queue: EndpointQueue): number => queue.waiting.length + queue.waitingLow.length;

/** The id of the job to start next: the oldest one, jobs of low priority last. */
export const nextWaiting = (queue: EndpointQueue): string | undefined => queue.waiting[0] ?? queue.waitingLow[0];

const waitingListOf = (queue: EndpointQueue, job: Job): string[] =>
  job.lowPriority ? queue.waitingLow : queue.waiting;

export function enqueue(queue: EndpointQueue, job: Job): void {
  waitingListOf(queue, job).push(job.id);
}

export function dequeue(queue: EndpointQueue, job: Job): void {
  const waiting = waitingListOf(queue, job);
  const index = waiting.indexOf(job.id);
  if (index >= 0) waiting.splice(index, 1);
}

export const workersIn = (queue: EndpointQueue): readonly Worker[] => Object.values(queue.workers);

import type { State } from '../../state/state.ts';
import { newEndpointQueue, queuesOf, type EndpointQueue, type Job, type WaitingLine, type Worker } from './records.ts';

/** Created when there is none. */
export function queueOf(state: State, endpointId: string): EndpointQueue {
  return (queuesOf(state).byEndpoint[endpointId] ??= newEndpointQueue());
}

export const waitingCount = (queue: EndpointQueue): number => queue.waiting.count + queue.waitingLow.count;

/** The job to start next: the oldest one, jobs of low priority last. */
export function nextWaiting(state: State, queue: EndpointQueue): Job | undefined {
  for (const job of jobsOfLine(state, queue.waiting)) return job;
  for (const job of jobsOfLine(state, queue.waitingLow)) return job;
  return undefined;
}

/** Those of low priority last. */
export function* waitingJobs(state: State, queue: EndpointQueue): Generator<Job> {
  yield* jobsOfLine(state, queue.waiting);
  yield* jobsOfLine(state, queue.waitingLow);
}

/** The queue must not be changed meanwhile. */
export function* jobsOfLine(state: State, line: WaitingLine): Generator<Job> {
  const { jobs } = queuesOf(state);
  let left = line.count;
  for (let at = line.head; left > 0 && at < line.ids.length; at++) {
    const job = jobs[line.ids[at] ?? ''];
    if (job?.status === 'IN_QUEUE') {
      left -= 1;
      yield job;
    } else if (at === line.head) line.head += 1;
  }
}

export function enqueue(queue: EndpointQueue, job: Job): void {
  const line = lineOf(queue, job);
  // The ids that were taken are dropped when they are the larger part, so that each is copied once on the average.
  if (line.count === 0 || line.head > Math.max(1000, line.ids.length / 2)) {
    line.ids = line.count === 0 ? [] : line.ids.slice(line.head);
    line.head = 0;
  }
  line.ids.push(job.id);
  line.count += 1;
}

/** Call it before the job's record changes. */
export function dequeue(queue: EndpointQueue, job: Job): void {
  const line = lineOf(queue, job);
  if (line.ids[line.head] === job.id) line.head += 1;
  line.count -= 1;
}

const lineOf = (queue: EndpointQueue, job: Job): WaitingLine => (job.lowPriority ? queue.waitingLow : queue.waiting);

export const workersIn = (queue: EndpointQueue): readonly Worker[] => Object.values(queue.workers);

export function workerCount({ workerCounts }: EndpointQueue): number {
  return workerCounts.INITIALIZING + workerCounts.IDLE + workerCounts.RUNNING + workerCounts.UNHEALTHY;
}

export function putWorker(queue: EndpointQueue, worker: Worker): void {
  const before = queue.workers[worker.id];
  if (before !== undefined) queue.workerCounts[before.status] -= 1;
  queue.workers[worker.id] = worker;
  queue.workerCounts[worker.status] += 1;
}

export function removeWorker(queue: EndpointQueue, workerId: string): void {
  const worker = queue.workers[workerId];
  if (worker === undefined) return;
  queue.workerCounts[worker.status] -= 1;
  Reflect.deleteProperty(queue.workers, workerId);
}

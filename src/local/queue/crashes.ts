import { type EpochMs, type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { endpoints, takesByProtocol } from '../model/endpoints.ts';
import type { State } from '../state/state.ts';
import { scale } from './autoscaler.ts';
import { applyEvent } from './job-changes.ts';
import { queueOf, waitingJobs, type Worker, workersIn } from './records.ts';
import { loseWorker, requeueJobs } from './workers.ts';

/** Each crash in a row doubles the time to a new worker. */
const FIRST_BACKOFF_MS: Milliseconds = 1000;
const MAX_BACKOFF_MS: Milliseconds = MINUTE_MS;

/** An ended process. Ignored for a removed worker. */
export function recordWorkerExit(state: State, endpointId: string, workerId: string, how: string, at: EpochMs): void {
  const queue = queueOf(state, endpointId);
  const worker = queue.workers[workerId];
  if (worker?.protocol?.kind !== 'managed' || worker.status === 'UNHEALTHY') return;
  if (!isCrash(worker)) {
    loseWorker(state, queue, worker, at, how);
    scale(state, endpointId, at);
    return;
  }
  const isAtStart = worker.status === 'INITIALIZING';
  const count = (queue.crashes?.isAtStart === isAtStart ? queue.crashes.count : 0) + 1;
  // A first crash at work may have any cause: its jobs are tried again at once.
  const pauses = count - (isAtStart || worker.protocol.hasFailedStart === true ? 1 : 2);
  const until = pauses < 0 ? at : at + Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** pauses);
  queue.crashes = { count, isAtStart, until };
  worker.crashedAt = at;
  worker.crashReason = how;
  if (until <= at) loseWorker(state, queue, worker, at);
  else {
    requeueJobs(state, worker, at);
    delete worker.idleSince;
    worker.protocol.stops = [];
    worker.status = 'UNHEALTHY';
  }
  scale(state, endpointId, at);
}

/** The end of a worker without any job is a crash: else such a program would be restarted forever. */
function isCrash({ protocol, status, jobIds, runs }: Worker): boolean {
  if (protocol?.hasFailedStart === true || status === 'INITIALIZING') return true;
  return protocol?.fault === undefined && (jobIds.length > 0 || runs.length === 0);
}

/** Its program can serve no job. The next job starts it again after the first pause of crashes. */
export function refuseWaitingJobs(state: State, endpointId: string, error: string, at: EpochMs): void {
  const queue = queueOf(state, endpointId);
  for (const job of waitingJobs(state, queue)) applyEvent(state, job, { kind: 'fail', at, error });
  if ((endpoints.get(state, endpointId)?.workers.min ?? 0) === 0) delete queue.crashes;
}

/** At the start of a service no process of its workers runs: their jobs are queued again. */
export function loseAllWorkers(state: State, now: EpochMs): void {
  for (const endpoint of endpoints.all(state).filter(takesByProtocol)) {
    const queue = queueOf(state, endpoint.id);
    for (const worker of workersIn(queue)) loseWorker(state, queue, worker, now, 'the local service was started again');
    delete queue.crashes;
    scale(state, endpoint.id, now);
  }
}

import type { EpochMs, Milliseconds } from '../../../core/unit-types.ts';
import { type EndpointRecord, placementsFor } from '../../model/endpoints.ts';
import { applyEvent } from '../jobs/job-status-changes.ts';
import { changeProtocol, realNow, STOP_GRACE_MS, withoutStops } from '../jobs/stops.ts';
import { setTimer } from '../jobs/timers.ts';
import { withNote } from '../jobs/worker-history.ts';
import { addWorker, reconcile, workerReady } from '../jobs/workers.ts';
import { didNotStop, kills, loseWorker, SILENCE_MS, watchSilence } from './losses.ts';
import { nextWaiting, putWorker, queueOf, workerCount } from '../state/endpoint-queue.ts';
import {
  type EndpointQueue,
  type Job,
  type ProtocolWorker,
  queuesOf,
  type Worker,
  type WorkerFault,
} from '../state/records.ts';
import type { State } from '../../state/state.ts';

/** False when the line is there already: a worker repeats a refused request. `now`: service's clock. */
export function noteAboutJob(
  state: State,
  { endpointId, workerId, jobId }: { readonly endpointId: string; readonly workerId: string; readonly jobId: string },
  line: string,
  now: EpochMs,
): boolean {
  const queue = queueOf(state, endpointId);
  const worker = queue.workers[workerId];
  const noted = worker === undefined ? undefined : withNote(worker, jobId, line, now);
  if (noted === undefined) return false;
  putWorker(queue, noted);
  return true;
}

/** The answer to a request for jobs: jobs; none now; or none ever, because the worker must end. */
export type Take =
  { readonly kind: 'jobs'; readonly jobs: readonly Job[] } | { readonly kind: 'none' } | { readonly kind: 'leave' };

type FirstTake = Take & {
  /** New lines of the worker's system log: jobs that it has without working on them. */
  readonly notes: readonly string[];
};

/** A request for jobs by a worker (contract, worker protocol: take). */
export interface TakeRequest {
  readonly workerId: string;
  readonly count: number;
  readonly isWorking: boolean;
}

/** When there are this many, attaching is refused. */
export const MAX_WORKERS = 1000;

/** How long after a take an injected fault kills the worker. */
const KILL_DELAY_MS: Milliseconds = 500;

/** Ids made by scaling: an unknown worker with such an id was removed, and cannot attach. */
const MANAGED_ID = /^w[0-9a-f]{7,}$/;

/** Also true for a known worker. */
export const canAttach = (state: State, endpointId: string, workerId: string): boolean => {
  const queue = queueOf(state, endpointId);
  return queue.workers[workerId] !== undefined || workerCount(queue) < MAX_WORKERS;
};

/** An unknown worker attaches. One that works on no job has stopped every job it was asked to stop. */
export function takeJobs(state: State, endpoint: EndpointRecord, request: TakeRequest, now: EpochMs): FirstTake {
  const queue = queueOf(state, endpoint.id);
  const { workerId, isWorking } = request;
  if (queue.workers[workerId] === undefined) {
    if (MANAGED_ID.test(workerId)) return { kind: 'leave', notes: [] };
    attach(state, queue, endpoint, workerId, now);
  }
  const worker = seen(state, queue, workerId);
  if (worker?.status === 'INITIALIZING') {
    workerReady(queue, workerId, now);
    if (queue.crashes !== undefined && queue.crashes.atStart > 0)
      queue.crashes = { ...queue.crashes, atStart: 0, until: now };
    watchSilence(state, worker, now + SILENCE_MS);
  }
  const ready = queue.workers[workerId];
  if (ready !== undefined && !isWorking) endStops(state, queue, ready, now, () => true);
  const notes = isWorking ? [] : noteForgottenJobs(state, endpoint.id, workerId, now);
  return { ...retryTake(state, endpoint, request, now), notes };
}

/** They keep their worker: their result may still come. */
function noteForgottenJobs(state: State, endpointId: string, workerId: string, now: EpochMs): readonly string[] {
  const { jobIds = [] } = queueOf(state, endpointId).workers[workerId] ?? {};
  return jobIds.flatMap((jobId) => {
    const line = `asked for its next job, and has sent no result of job ${jobId}, which runs until its execution timeout`;
    return noteAboutJob(state, { endpointId, workerId, jobId }, line, now) ? [line] : [];
  });
}

/** A worker that was removed, or whose process has ended, must leave. */
export function retryTake(
  state: State,
  endpoint: EndpointRecord,
  { workerId, count }: TakeRequest,
  now: EpochMs,
): Take {
  const queue = queueOf(state, endpoint.id);
  const worker = queue.workers[workerId];
  // The process of an UNHEALTHY worker has ended: this request is an old one, or that of a process that it left running.
  if (worker?.protocol === undefined || worker.protocol.isLeaving === true || worker.status === 'UNHEALTHY')
    return { kind: 'leave' };
  if (worker.protocol.fault !== undefined && worker.protocol.fault.kind !== 'silent') return { kind: 'none' };
  const jobs: Job[] = [];
  for (let job = nextWaiting(state, queue); job !== undefined && jobs.length < count; job = nextWaiting(state, queue)) {
    const started = applyEvent(state, job, { kind: 'start', at: now, workerId });
    if (started === undefined) break;
    jobs.push(started);
  }
  if (jobs.length > 0) reconcile(state, endpoint.id, now);
  return jobs.length === 0 ? { kind: 'none' } : { kind: 'jobs', jobs };
}

/** Queues jobs again that were sent to a worker whose connection had already ended, so that it never received them. */
export function takeBack(state: State, jobs: readonly Job[], now: EpochMs): void {
  for (const { id, attempt, workerId } of jobs) {
    const job = queuesOf(state).jobs[id];
    if (job?.status === 'IN_PROGRESS' && job.attempt === attempt && job.workerId === workerId)
      applyEvent(state, job, { kind: 'lose', at: now });
  }
  for (const endpointId of new Set(jobs.map((job) => job.endpointId))) reconcile(state, endpointId, now);
}

export function injectFault(
  state: State,
  { endpointId, workerId = '', id }: Job,
  kind: WorkerFault['kind'],
  now: EpochMs,
): void {
  const queue = queueOf(state, endpointId);
  const worker = queue.workers[workerId];
  if (worker?.protocol === undefined) return;
  changeProtocol(queue, worker, { fault: { kind, jobId: id, since: now } });
  if (kind === 'crash' || kind === 'oom')
    setTimer(state, now + KILL_DELAY_MS, { kind: 'worker-killed', endpointId, workerId });
}

/** Everything that a killed worker sends is ignored. */
export const isKilled = (state: State, endpointId: string, workerId: string): boolean =>
  kills(queuesOf(state).byEndpoint[endpointId]?.workers[workerId]?.protocol?.fault);

/** Stops missing from its ids are done; a managed worker that sends one after the grace is stopped. */
export function recordPing(
  state: State,
  endpointId: string,
  workerId: string,
  jobIds: ReadonlySet<string>,
  now: EpochMs,
): void {
  const queue = queueOf(state, endpointId);
  const worker = seen(state, queue, workerId);
  if (worker?.protocol === undefined) return;
  const overdue = worker.protocol.stops.find(
    ({ jobId, since }) => jobIds.has(jobId) && since + STOP_GRACE_MS <= realNow(state),
  );
  if (overdue !== undefined && worker.protocol.kind === 'managed')
    loseWorker(state, queue, worker, now, didNotStop(overdue.jobId));
  else endStops(state, queue, worker, now, (jobId) => !jobIds.has(jobId));
}

/** Marks them as sent. None for an unknown worker; `leave` when it was removed. */
export function takeStops(state: State, endpointId: string, workerId: string): readonly string[] | 'leave' {
  const queue = queueOf(state, endpointId);
  const worker = queue.workers[workerId];
  if (worker?.protocol === undefined) return MANAGED_ID.test(workerId) ? 'leave' : [];
  const { protocol } = worker;
  const untold = protocol.stops.filter(({ toldAt }) => toldAt === undefined);
  if (untold.length === 0) return [];
  const stops = protocol.stops.map((stop) => ({ ...stop, toldAt: stop.toldAt ?? realNow(state) }));
  changeProtocol(queue, worker, { stops });
  return untold.map(({ jobId }) => jobId);
}

/** 1 when a held request starts, -1 when it ends. */
export function countPoll(state: State, endpointId: string, workerId: string, change: 1 | -1): void {
  const queue = queueOf(state, endpointId);
  const worker = queue.workers[workerId];
  const polls = Math.max(0, (worker?.protocol?.polls ?? 0) + change);
  changeProtocol(queue, worker, { polls, seenAt: realNow(state) });
}

/** Records the time of its request. */
export function seen(state: State, queue: EndpointQueue, workerId: string): Worker | undefined {
  const worker = queue.workers[workerId];
  if (worker?.protocol === undefined || worker.protocol.seenAt === realNow(state)) return worker;
  changeProtocol(queue, worker, { seenAt: realNow(state) });
  return queue.workers[workerId];
}

/** The worker may become idle. */
export function endStops(
  state: State,
  queue: EndpointQueue,
  worker: Worker,
  now: EpochMs,
  isStopped: (jobId: string) => boolean,
): void {
  const stopped = withoutStops(worker, now, isStopped);
  if (stopped === worker) return;
  putWorker(queue, stopped);
  reconcile(state, worker.endpointId, now);
}

function attach(state: State, queue: EndpointQueue, endpoint: EndpointRecord, id: string, now: EpochMs): void {
  const [hardware = { dataCenterId: 'LOCAL' }] = placementsFor(state, endpoint);
  const protocol: ProtocolWorker = { kind: 'attached', seenAt: realNow(state), polls: 0, stops: [] };
  addWorker(queue, endpoint, id, hardware, now, protocol);
}

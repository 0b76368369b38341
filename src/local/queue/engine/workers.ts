import type { EndpointRecord } from '../../model/endpoints/record.ts';
import { isThrottled, placementsFor } from '../../model/endpoints/placement.ts';
import { doesNotStart } from '../../model/images.ts';
import type { WorkerHardware } from '../../model/endpoints/record.ts';
import type { State } from '../../state/state.ts';
import { queueOf, nextWaiting, workersIn } from '../state/endpoint-queue.ts';
import { applyEvent } from './jobs.ts';
import { wantedWorkers } from './scaling.ts';
import { queuesOf, type EndpointQueue, type Worker } from '../state/records.ts';
import { setTimer } from './timers.ts';
import { recordUsage } from './usage.ts';

/** The time from a worker's start until it is ready for its first job. Milliseconds. */
export const COLD_START_MS = 1000;

/** How many ended workers of an endpoint are kept, for their logs. */
const MAX_ENDED_WORKERS = 20;

/**
 * Adjusts an endpoint's workers to its settings and its waiting jobs: stops surplus, stale and unneeded unhealthy workers,
 * gives jobs to idle ones, stops those that were idle too long, and starts missing ones. It never stops a RUNNING worker.
 */
export function scaleWorkers(state: State, endpoint: EndpointRecord, at: number): void {
  const queue = queueOf(state, endpoint.id);
  stopSurplus(state, queue, endpoint, at);
  replaceStale(state, queue, endpoint, at);
  assignJobs(state, queue, at);
  stopIdle(state, queue, endpoint, at);
  stopUnhealthy(state, queue, endpoint, at);
  startMissing(state, queue, endpoint, at);
}

/** Makes a worker IDLE at the end of its cold start, or UNHEALTHY where its image does not start. */
export function workerReady(queue: EndpointQueue, workerId: string, at: number): void {
  const worker = queue.workers[workerId];
  if (worker?.status !== 'INITIALIZING') return;
  if (doesNotStart(worker.image)) queue.workers[workerId] = { ...worker, status: 'UNHEALTHY', crashedAt: at };
  else queue.workers[workerId] = { ...worker, status: 'IDLE', readyAt: at, idleSince: at };
}

/** Stops all workers of an endpoint. */
export function stopAllWorkers(state: State, queue: EndpointQueue, at: number): void {
  for (const worker of workersIn(queue)) stopWorker(state, queue, worker, at);
}

/** Stops workers above the maximum, the newest first. */
function stopSurplus(state: State, queue: EndpointQueue, endpoint: EndpointRecord, at: number): void {
  const surplus = Math.max(0, workersIn(queue).length - endpoint.workers.max);
  if (surplus === 0) return;
  const free = workersIn(queue).filter(({ status }) => status !== 'RUNNING');
  for (const worker of free.reverse().slice(0, surplus)) stopWorker(state, queue, worker, at);
}

/**
 * Replaces the workers of older versions one by one: an idle worker is replaced after the previous replacement has finished
 * its cold start. A running worker finishes its job first; workers that are not needed are not replaced.
 */
function replaceStale(state: State, queue: EndpointQueue, endpoint: EndpointRecord, at: number): void {
  for (const worker of workersIn(queue)) {
    if (worker.version === endpoint.version || worker.status === 'RUNNING') continue;
    const isReplacing = workersIn(queue).some(
      ({ status, version }) => status === 'INITIALIZING' && version === endpoint.version,
    );
    if (isReplacing && worker.status === 'IDLE') continue;
    stopWorker(state, queue, worker, at);
    startMissing(state, queue, endpoint, at);
  }
}

/** Gives waiting jobs to idle workers whose hardware is not taken by others. */
function assignJobs(state: State, queue: EndpointQueue, at: number): void {
  // The newest version first, so that stale workers become idle and are replaced.
  const idle = workersIn(queue).filter(({ status, hardware }) => status === 'IDLE' && !isThrottled(state, hardware));
  for (const worker of idle.sort((a, b) => b.version - a.version)) {
    const jobId = nextWaiting(queue);
    const job = jobId === undefined ? undefined : queuesOf(state).jobs[jobId];
    if (job === undefined) return;
    applyEvent(state, job, { kind: 'start', at, workerId: worker.id });
  }
}

/** Stops workers that were idle for the endpoint's idle timeout, down to its minimum; sets a timer for the next one. */
function stopIdle(state: State, queue: EndpointQueue, endpoint: EndpointRecord, at: number): void {
  const idle = workersIn(queue).filter(({ status }) => status === 'IDLE');
  if (idle.length === 0) return;
  let spare = workersIn(queue).length - endpoint.workers.min;
  for (const worker of idle) {
    if (spare <= 0) return;
    const endsAt = (worker.idleSince ?? at) + endpoint.workers.idleTimeout * 1000;
    if (endsAt <= at) {
      stopWorker(state, queue, worker, at);
      spare -= 1;
    } else if (worker.idleSince === at) setTimer(queuesOf(state), endsAt, { kind: 'scale', endpointId: endpoint.id });
  }
}

/** Stops unhealthy workers that no job waits for. Without a job that waits they are not started again either. */
function stopUnhealthy(state: State, queue: EndpointQueue, endpoint: EndpointRecord, at: number): void {
  const surplus = workersIn(queue).length - wantedWorkers(state, endpoint, at);
  if (surplus <= 0) return;
  const unhealthy = workersIn(queue).filter(({ status }) => status === 'UNHEALTHY');
  for (const worker of unhealthy.slice(0, surplus)) stopWorker(state, queue, worker, at);
}

function startMissing(state: State, queue: EndpointQueue, endpoint: EndpointRecord, at: number): void {
  const missing = wantedWorkers(state, endpoint, at) - workersIn(queue).length;
  if (missing <= 0) return;
  const placements = placementsFor(state, endpoint);
  for (let count = 0; count < missing; count++) startWorker(state, queue, endpoint, placements, at);
}

/** Starts a worker in the data center with the fewest workers; without a possible placement it starts none. */
function startWorker(
  state: State,
  queue: EndpointQueue,
  endpoint: EndpointRecord,
  placements: readonly WorkerHardware[],
  at: number,
): void {
  const workers = workersIn(queue);
  const workersAt = ({ dataCenterId }: WorkerHardware): number =>
    workers.filter(({ hardware }) => hardware.dataCenterId === dataCenterId).length;
  const [hardware] = placements.toSorted((a, b) => workersAt(a) - workersAt(b));
  if (hardware === undefined) return;
  state.serial += 1;
  const id = `w${state.serial.toString(16).padStart(7, '0')}`;
  queue.workers[id] = {
    id,
    endpointId: endpoint.id,
    status: 'INITIALIZING',
    version: endpoint.version,
    image: endpoint.container.image,
    disk: endpoint.container.disk,
    hardware,
    startedAt: at,
    runs: [],
  };
  setTimer(queuesOf(state), at + COLD_START_MS, { kind: 'worker-ready', endpointId: endpoint.id, workerId: id });
}

function stopWorker(state: State, queue: EndpointQueue, worker: Worker, at: number): void {
  Reflect.deleteProperty(queue.workers, worker.id);
  recordUsage(queuesOf(state), worker, at);
  queue.ended = [{ ...worker, endedAt: at }, ...queue.ended].slice(0, MAX_ENDED_WORKERS);
}

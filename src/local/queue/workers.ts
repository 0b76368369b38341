import type { EndpointRecord, State } from '../state.ts';
import { laneOf, nextWaiting, workersIn } from './lanes.ts';
import { move } from './jobs.ts';
import { wantedWorkers } from './scaling.ts';
import type { Lane, Worker } from './state.ts';
import { setTimer } from './timers.ts';

/** Milliseconds from a worker's start until it takes its first job. */
export const COLD_START_MS = 1000;

/**
 * Brings an endpoint's workers in line with what it is set to and what waits: stale and surplus ones go, idle ones take
 * jobs, those idle too long go, and missing ones are started. A RUNNING worker is never ended here.
 */
export function settle(state: State, endpoint: EndpointRecord, at: number): void {
  const lane = laneOf(state, endpoint.id);
  dismissUnfit(lane, endpoint);
  assign(state, lane, at);
  dismissIdle(state, lane, endpoint, at);
  for (let count = workersIn(lane).length; count < wantedWorkers(state, endpoint, at); count++)
    startWorker(state, endpoint, at);
}

/** A worker has finished its cold start. */
export function workerReady(lane: Lane, workerId: string, at: number): void {
  const worker = lane.workers[workerId];
  if (worker?.status === 'INITIALIZING') lane.workers[workerId] = { ...worker, status: 'IDLE', idleSince: at };
}

/** Workers of an older version, and those beyond the maximum: the youngest first. */
function dismissUnfit(lane: Lane, endpoint: EndpointRecord): void {
  for (const worker of workersIn(lane))
    if (worker.status !== 'RUNNING' && worker.version < endpoint.version) dismiss(lane, worker);
  const surplus = Math.max(0, workersIn(lane).length - endpoint.workers.max);
  const free = workersIn(lane).filter(({ status }) => status !== 'RUNNING');
  for (const worker of free.reverse().slice(0, surplus)) dismiss(lane, worker);
}

function assign(state: State, lane: Lane, at: number): void {
  for (const worker of workersIn(lane)) {
    if (worker.status !== 'IDLE') continue;
    const jobId = nextWaiting(lane);
    const job = jobId === undefined ? undefined : state.queue.jobs[jobId];
    if (job === undefined) return;
    move(state, job, { kind: 'start', at, workerId: worker.id });
  }
}

/** Ends what has been idle for the endpoint's idle timeout, down to its minimum; looks again when the next one has. */
function dismissIdle(state: State, lane: Lane, endpoint: EndpointRecord, at: number): void {
  const idle = workersIn(lane).filter(({ status }) => status === 'IDLE');
  if (idle.length === 0) return;
  let spare = workersIn(lane).length - endpoint.workers.min;
  for (const worker of idle) {
    if (spare <= 0) return;
    const endsAt = (worker.idleSince ?? at) + endpoint.workers.idleTimeout * 1000;
    if (endsAt <= at) {
      dismiss(lane, worker);
      spare -= 1;
    } else if (worker.idleSince === at) setTimer(state.queue, endsAt, { kind: 'scale', endpointId: endpoint.id });
  }
}

function startWorker(state: State, endpoint: EndpointRecord, at: number): void {
  state.serial += 1;
  const id = `w${state.serial.toString(16).padStart(7, '0')}`;
  const worker: Worker = {
    id,
    endpointId: endpoint.id,
    status: 'INITIALIZING',
    version: endpoint.version,
    startedAt: at,
  };
  laneOf(state, endpoint.id).workers[id] = worker;
  setTimer(state.queue, at + COLD_START_MS, { kind: 'worker-ready', endpointId: endpoint.id, workerId: id });
}

function dismiss(lane: Lane, worker: Worker): void {
  Reflect.deleteProperty(lane.workers, worker.id);
}

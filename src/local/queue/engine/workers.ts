import type { EndpointRecord } from '../../model/endpoints/record.ts';
import { placesFor } from '../../model/endpoints/placement.ts';
import type { WorkerHardware } from '../../model/endpoints/record.ts';
import type { State } from '../../state/state.ts';
import { laneOf, nextWaiting, workersIn } from '../state/endpoint-queue.ts';
import { move } from './jobs.ts';
import { wantedWorkers } from './scaling.ts';
import type { Lane, Worker } from '../state/records.ts';
import { setTimer } from './timers.ts';
import { keepUsage } from './usage.ts';

/** Milliseconds from a worker's start until it takes its first job. */
export const COLD_START_MS = 1000;

/** How many workers of an endpoint are remembered after their end, for their logs. */
const ENDED_KEPT = 20;

/**
 * Brings an endpoint's workers in line with what it is set to and what waits: stale and surplus ones go, idle ones take
 * jobs, those idle too long go, and missing ones are started. A RUNNING worker is never ended here.
 */
export function settle(state: State, endpoint: EndpointRecord, at: number): void {
  const lane = laneOf(state, endpoint.id);
  dismissSurplus(state, lane, endpoint, at);
  rollOver(state, lane, endpoint, at);
  assign(state, lane, at);
  dismissIdle(state, lane, endpoint, at);
  startMissing(state, lane, endpoint, at);
}

/** A worker has finished its cold start. */
export function workerReady(lane: Lane, workerId: string, at: number): void {
  const worker = lane.workers[workerId];
  if (worker?.status === 'INITIALIZING')
    lane.workers[workerId] = { ...worker, status: 'IDLE', readyAt: at, idleSince: at };
}

/** Ends all workers of an endpoint. */
export function dismissAll(state: State, lane: Lane, at: number): void {
  for (const worker of workersIn(lane)) dismiss(state, lane, worker, at);
}

/** Workers beyond the maximum: the youngest first. */
function dismissSurplus(state: State, lane: Lane, endpoint: EndpointRecord, at: number): void {
  const surplus = Math.max(0, workersIn(lane).length - endpoint.workers.max);
  if (surplus === 0) return;
  const free = workersIn(lane).filter(({ status }) => status !== 'RUNNING');
  for (const worker of free.reverse().slice(0, surplus)) dismiss(state, lane, worker, at);
}

/**
 * Replaces the workers of older versions one by one: the next goes when its predecessor's replacement has finished its
 * cold start. One that has a job in hand finishes it first; those not needed any more go without a replacement.
 */
function rollOver(state: State, lane: Lane, endpoint: EndpointRecord, at: number): void {
  for (const worker of workersIn(lane)) {
    if (worker.version === endpoint.version || worker.status === 'RUNNING') continue;
    const isReplacing = workersIn(lane).some(
      ({ status, version }) => status === 'INITIALIZING' && version === endpoint.version,
    );
    if (isReplacing && worker.status === 'IDLE') continue;
    dismiss(state, lane, worker, at);
    startMissing(state, lane, endpoint, at);
  }
}

function assign(state: State, lane: Lane, at: number): void {
  // Of the newest version first: what is stale shall come to rest.
  const idle = workersIn(lane).filter(({ status }) => status === 'IDLE');
  for (const worker of idle.sort((a, b) => b.version - a.version)) {
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
      dismiss(state, lane, worker, at);
      spare -= 1;
    } else if (worker.idleSince === at) setTimer(state.queue, endsAt, { kind: 'scale', endpointId: endpoint.id });
  }
}

function startMissing(state: State, lane: Lane, endpoint: EndpointRecord, at: number): void {
  const missing = wantedWorkers(state, endpoint, at) - workersIn(lane).length;
  if (missing <= 0) return;
  const places = placesFor(state, endpoint);
  for (let count = 0; count < missing; count++) startWorker(state, lane, endpoint, places, at);
}

/** Spread evenly over the places there are; where there is none, no worker starts. */
function startWorker(
  state: State,
  lane: Lane,
  endpoint: EndpointRecord,
  places: readonly WorkerHardware[],
  at: number,
): void {
  const workers = workersIn(lane);
  const taken = ({ dataCenterId }: WorkerHardware): number =>
    workers.filter(({ hardware }) => hardware.dataCenterId === dataCenterId).length;
  const [hardware] = places.toSorted((a, b) => taken(a) - taken(b));
  if (hardware === undefined) return;
  state.serial += 1;
  const id = `w${state.serial.toString(16).padStart(7, '0')}`;
  lane.workers[id] = {
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
  setTimer(state.queue, at + COLD_START_MS, { kind: 'worker-ready', endpointId: endpoint.id, workerId: id });
}

function dismiss(state: State, lane: Lane, worker: Worker, at: number): void {
  Reflect.deleteProperty(lane.workers, worker.id);
  keepUsage(state.queue, worker, at);
  lane.ended = [{ ...worker, endedAt: at }, ...lane.ended].slice(0, ENDED_KEPT);
}

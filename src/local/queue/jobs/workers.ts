import { MINUTE_MS } from '../../../core/durations.ts';
import { takesByProtocol, type EndpointRecord, type WorkerHardware } from '../../model/endpoints/record.ts';
import { endpoints } from '../../model/endpoints/seed.ts';
import { isThrottled, placementsFor } from '../../model/endpoints/placement.ts';
import { doesNotStart, imageOfProgram } from '../../model/images.ts';
import type { State } from '../../state/state.ts';
import { nextWaiting, putWorker, queueOf, removeWorker, workerCount, workersIn } from '../state/endpoint-queue.ts';
import { queuesOf, type EndpointQueue, type ProtocolWorker, type Worker } from '../state/records.ts';
import { applyEvent } from './job-status-changes.ts';
import { realNow } from './stops.ts';
import { nextOverdueAt, wantedWorkers } from './scaling.ts';
import { scheduleScaling, setTimer } from './timers.ts';
import { recordUsage } from './usage.ts';
import type { EpochMs, Milliseconds } from '../../../core/unit-types.ts';

/** The time from a worker's start until it is ready for its first job. */
export const COLD_START_MS: Milliseconds = 1000;

/** When workers cannot be placed in any data center, the next attempt is after this time. */
const PLACEMENT_RETRY_MS: Milliseconds = MINUTE_MS;

/** How many ended workers of an endpoint are kept, for their logs. */
const MAX_ENDED_WORKERS = 20;

/** An endpoint and its queue at a time. */
interface Scaling {
  readonly state: State;
  readonly queue: EndpointQueue;
  readonly endpoint: EndpointRecord;
  readonly at: EpochMs;
}

/** Adjusts the workers of an endpoint, when it exists. */
export function reconcile(state: State, endpointId: string, at: EpochMs): void {
  const endpoint = endpoints.get(state, endpointId);
  if (endpoint !== undefined) scaleWorkers(state, endpoint, at);
}

/**
 * Adjusts an endpoint's workers to its settings and its waiting jobs: stops surplus, stale and unneeded unhealthy
 * workers, assigns jobs to idle ones, and starts missing ones. It never stops a RUNNING worker. It is called after
 * every change, so it checks all workers only when the settings were changed, or when an idle worker can get a job.
 * Workers that were idle for too long are stopped by the timer that it sets.
 */
export function scaleWorkers(state: State, endpoint: EndpointRecord, at: EpochMs): void {
  const queue = queueOf(state, endpoint.id);
  const scaling = { state, queue, endpoint, at };
  useWorkers(scaling);
  stopUnhealthy(scaling);
  startMissing(scaling);
  // A worker may have become idle now.
  if (queue.workerCounts.IDLE > 0 && workerCount(queue) > endpoint.workers.min)
    scheduleScaling(state, queue, endpoint.id, idleEnd(endpoint, at));
}

/** As `scaleWorkers`, after the endpoint's settings were changed. */
export function applySettings(state: State, endpoint: EndpointRecord, at: EpochMs): void {
  const queue = queueOf(state, endpoint.id);
  queue.isUnsettled = true;
  // What crashed may be mended.
  delete queue.crashes;
  scaleOnTime(state, endpoint, at);
}

/** As `scaleWorkers`, at the time that was scheduled: also stops the workers that were idle too long. */
export function scaleOnTime(state: State, endpoint: EndpointRecord, at: EpochMs): void {
  const queue = queueOf(state, endpoint.id);
  delete queue.scaleAt;
  const scaling = { state, queue, endpoint, at };
  useWorkers(scaling);
  stopIdle(scaling);
  stopUnhealthy(scaling);
  startMissing(scaling);
  const next = nextOverdueAt(state, endpoint, at);
  if (next !== undefined) scheduleScaling(state, queue, endpoint.id, next);
}

/** Makes a worker IDLE at the end of its cold start, or UNHEALTHY where its image does not start. */
export function workerReady(queue: EndpointQueue, workerId: string, at: EpochMs): void {
  const worker = queue.workers[workerId];
  if (worker?.status !== 'INITIALIZING') return;
  // Images are not run: what a program of the user serves has started.
  const fails = worker.protocol === undefined && doesNotStart(worker.image);
  if (fails) putWorker(queue, { ...worker, status: 'UNHEALTHY', crashedAt: at });
  else putWorker(queue, { ...worker, status: 'IDLE', readyAt: at, idleSince: at });
}

/** Stops all workers of an endpoint. */
export function stopAllWorkers(state: State, queue: EndpointQueue, at: EpochMs): void {
  for (const worker of workersIn(queue)) stopWorker(state, queue, worker, at);
}

/** Removes a worker and keeps its history. `endReason` is the reason, unless scaling stops it. */
export function stopWorker(state: State, queue: EndpointQueue, worker: Worker, at: EpochMs, endReason?: string): void {
  removeWorker(queue, worker.id);
  queue.signals += 1;
  recordUsage(queuesOf(state), worker, at);
  const ended: Worker = { ...worker, endedAt: at, ...(endReason === undefined ? {} : { endReason }) };
  queue.ended = [ended, ...queue.ended].slice(0, MAX_ENDED_WORKERS);
}

/** Stops surplus and stale workers, and assigns jobs to idle ones. */
function useWorkers(scaling: Scaling): void {
  const { state, queue, endpoint, at } = scaling;
  if (queue.isUnsettled) settle(scaling);
  if (!takesByProtocol(endpoint)) assignJobs(state, queue, at);
}

/** Stops surplus workers and replaces stale ones, as far as they are free now. */
function settle(scaling: Scaling): void {
  const { queue, endpoint } = scaling;
  stopSurplus(scaling);
  replaceStale(scaling);
  const ours = workersIn(queue).filter(isOurs);
  queue.isUnsettled =
    workerCount(queue) > endpoint.workers.max || ours.some(({ version }) => version !== endpoint.version);
}

/** False for an attached worker: scaling neither starts nor stops it. */
const isOurs = ({ protocol }: Worker): boolean => protocol?.kind !== 'attached';

/** Stops workers above the maximum, the newest first. */
function stopSurplus({ state, queue, endpoint, at }: Scaling): void {
  const surplus = Math.max(0, workerCount(queue) - endpoint.workers.max);
  if (surplus === 0) return;
  const free = workersIn(queue).filter((worker) => isOurs(worker) && worker.status !== 'RUNNING');
  for (const worker of free.reverse().slice(0, surplus)) stopWorker(state, queue, worker, at);
}

/**
 * Replaces the workers of older versions one by one: an idle worker is replaced after the previous replacement has finished
 * its cold start. A running worker finishes its job first; workers that are not needed are not replaced.
 */
function replaceStale(scaling: Scaling): void {
  const { state, queue, endpoint, at } = scaling;
  for (const worker of workersIn(queue)) {
    if (!isOurs(worker) || worker.version === endpoint.version || worker.status === 'RUNNING') continue;
    const isReplacing = workersIn(queue).some(
      ({ status, version }) => status === 'INITIALIZING' && version === endpoint.version,
    );
    if (isReplacing && worker.status === 'IDLE') continue;
    stopWorker(state, queue, worker, at);
    startMissing(scaling);
  }
}

/** Assigns waiting jobs to idle workers whose hardware is not in use by others. */
function assignJobs(state: State, queue: EndpointQueue, at: EpochMs): void {
  if (queue.workerCounts.IDLE === 0 || nextWaiting(state, queue) === undefined) return;
  // The newest version first, so that stale workers become idle and are replaced.
  const idle = workersIn(queue).filter(({ status, hardware }) => status === 'IDLE' && !isThrottled(state, hardware));
  for (const worker of idle.sort((a, b) => b.version - a.version)) {
    const job = nextWaiting(state, queue);
    if (job === undefined) return;
    applyEvent(state, job, { kind: 'start', at, workerId: worker.id });
  }
}

/** Stops workers that were idle for the endpoint's idle timeout, down to its minimum; sets a timer for the next one. */
function stopIdle({ state, queue, endpoint, at }: Scaling): void {
  if (queue.workerCounts.IDLE === 0) return;
  const idle = workersIn(queue).filter((worker) => isOurs(worker) && worker.status === 'IDLE');
  for (const worker of idle) {
    if (workerCount(queue) <= endpoint.workers.min) return;
    const endsAt = idleEnd(endpoint, worker.idleSince ?? at);
    if (endsAt <= at) stopWorker(state, queue, worker, at);
    else scheduleScaling(state, queue, endpoint.id, endsAt);
  }
}

/**
 * Stops unhealthy workers that no job waits for; when no job waits, they are not started again either. Stops those whose
 * process has crashed, when another one may be started.
 */
function stopUnhealthy({ state, queue, endpoint, at }: Scaling): void {
  if (queue.workerCounts.UNHEALTHY === 0) return;
  const until = queue.crashes?.until ?? at;
  if (until > at) scheduleScaling(state, queue, endpoint.id, until);
  const wanted = wantedWorkers(state, endpoint, at);
  for (const worker of workersIn(queue)) {
    const isReplaced = worker.protocol !== undefined && until <= at;
    if (worker.status === 'UNHEALTHY' && (isReplaced || workerCount(queue) > wanted))
      stopWorker(state, queue, worker, at);
  }
}

/** When a worker has been idle for the endpoint's idle timeout. */
const idleEnd = (endpoint: EndpointRecord, since: number): number => since + endpoint.workers.idleTimeout * 1000;

function startMissing(scaling: Scaling): void {
  const { state, queue, endpoint, at } = scaling;
  if (endpoint.handler === 'attach' || workerCount(queue) >= endpoint.workers.max) return;
  const missing = wantedWorkers(state, endpoint, at) - workerCount(queue);
  if (missing <= 0) return;
  const { crashes } = queue;
  if (crashes !== undefined && crashes.until > at) {
    scheduleScaling(state, queue, endpoint.id, crashes.until);
    return;
  }
  const placements = placementsFor(state, endpoint);
  if (placements.length === 0) scheduleScaling(state, queue, endpoint.id, at + PLACEMENT_RETRY_MS);
  for (let count = 0; count < missing; count++) startWorker(scaling, placements);
}

/** Starts a worker in the data center with the fewest workers; without a possible placement it starts none. */
function startWorker({ state, queue, endpoint, at }: Scaling, placements: readonly WorkerHardware[]): void {
  const workers = workersIn(queue);
  const workersAt = ({ dataCenterId }: WorkerHardware): number =>
    workers.filter(({ hardware }) => hardware.dataCenterId === dataCenterId).length;
  const [hardware] = placements.toSorted((a, b) => workersAt(a) - workersAt(b));
  if (hardware === undefined) return;
  state.serial += 1;
  const id = `w${state.serial.toString(16).padStart(7, '0')}`;
  if (endpoint.handler === 'protocol') {
    // It is ready when its process requests a job for the first time.
    addWorker(queue, endpoint, id, hardware, at, { kind: 'managed', seenAt: realNow(state), polls: 0, stops: [] });
    return;
  }
  addWorker(queue, endpoint, id, hardware, at);
  setTimer(state, at + COLD_START_MS, { kind: 'worker-ready', endpointId: endpoint.id, workerId: id });
}

/** Adds a worker that begins its cold start. */
export function addWorker(
  queue: EndpointQueue,
  endpoint: EndpointRecord,
  id: string,
  hardware: WorkerHardware,
  at: EpochMs,
  protocol?: ProtocolWorker,
): void {
  putWorker(queue, {
    id,
    endpointId: endpoint.id,
    status: 'INITIALIZING',
    version: endpoint.version,
    image: endpoint.program === undefined ? endpoint.container.image : imageOfProgram(endpoint.program),
    disk: endpoint.container.disk,
    hardware,
    startedAt: at,
    runs: [],
    jobIds: [],
    ...(protocol === undefined ? {} : { protocol }),
  });
}

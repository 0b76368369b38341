import { isDeepStrictEqual } from 'node:util';
import { type EpochMs, HOUR_MS, type Milliseconds, MINUTE_MS } from '../../../core/unit-types.ts';
import { doesNotStart, imageOfProgram } from '../../model/container.ts';
import {
  type EndpointRecord,
  endpoints,
  isThrottled,
  placementsFor,
  takesByProtocol,
  type WorkerHardware,
} from '../../model/endpoints.ts';
import { applyEvent } from './job-status-changes.ts';
import { nextOverdueAt, wantedWorkers } from './scaling.ts';
import { realNow } from './stops.ts';
import { scheduleScaling, setTimer } from './timers.ts';
import { nextWaiting, putWorker, queueOf, removeWorker, workerCount, workersIn } from '../state/endpoint-queue.ts';
import {
  type EndpointQueue,
  type ProtocolWorker,
  type Queues,
  queuesOf,
  type Usage,
  type Worker,
} from '../state/records.ts';
import type { State } from '../../state/state.ts';

const RETENTION_MS = 2 * 366 * 24 * HOUR_MS;

/** Counted from a worker's start, including the cold start. */
export const usageOf = (state: State, now: EpochMs): readonly Usage[] => [
  ...Object.values(queuesOf(state).usage).flat(),
  ...Object.values(queuesOf(state).byEndpoint)
    .flatMap(workersIn)
    .map((worker) => spanOf(worker, worker.startedAt, now)),
];

function recordUsage(queues: Queues, worker: Worker, endedAt: number): void {
  const kept = (queues.usage[worker.endpointId] ?? []).filter(({ to }) => to > endedAt - RETENTION_MS);
  const { startedAt } = worker;
  const firstHour = Math.ceil(startedAt / HOUR_MS) * HOUR_MS;
  const lastHour = Math.floor(endedAt / HOUR_MS) * HOUR_MS;
  if (firstHour > lastHour) addToHour(kept, worker, startedAt, endedAt);
  else {
    addToHour(kept, worker, startedAt, firstHour);
    if (firstHour < lastHour) kept.push(spanOf(worker, firstHour, lastHour));
    addToHour(kept, worker, lastHour, endedAt);
  }
  queues.usage[worker.endpointId] = kept;
}

function addToHour(usage: Usage[], worker: Worker, from: number, to: number): void {
  if (from === to) return;
  const hour = Math.floor(from / HOUR_MS) * HOUR_MS;
  const added = { ...spanOf(worker, hour, hour + HOUR_MS), workerMs: to - from };
  const index = usage.findLastIndex((known) => isDeepStrictEqual({ ...known, workerMs: 0 }, { ...added, workerMs: 0 }));
  const known = usage[index];
  if (known === undefined) usage.push(added);
  else usage[index] = { ...known, workerMs: known.workerMs + added.workerMs };
}

const spanOf = ({ endpointId, hardware, disk }: Worker, from: number, to: number): Usage => ({
  endpointId,
  ...hardware,
  disk,
  from,
  to,
  workerMs: to - from,
});

export const COLD_START_MS: Milliseconds = 1000;

const PLACEMENT_RETRY_MS: Milliseconds = MINUTE_MS;

const MAX_ENDED_WORKERS = 20;

interface Scaling {
  readonly state: State;
  readonly queue: EndpointQueue;
  readonly endpoint: EndpointRecord;
  readonly at: EpochMs;
}

export function reconcile(state: State, endpointId: string, at: EpochMs): void {
  const endpoint = endpoints.get(state, endpointId);
  if (endpoint !== undefined) scaleWorkers(state, endpoint, at);
}

/** Never stops a RUNNING worker. Called after every change, so it checks all workers only when needed. */
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

export function applySettings(state: State, endpoint: EndpointRecord, at: EpochMs): void {
  const queue = queueOf(state, endpoint.id);
  queue.isUnsettled = true;
  // What crashed may be fixed now.
  delete queue.crashes;
  scaleOnTime(state, endpoint, at);
}

/** Also stops workers that were idle too long. */
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

/** UNHEALTHY where its image does not start, else IDLE. */
export function workerReady(queue: EndpointQueue, workerId: string, at: EpochMs): void {
  const worker = queue.workers[workerId];
  if (worker?.status !== 'INITIALIZING') return;
  // Images are not run: what a program of the user serves has started.
  const fails = worker.protocol === undefined && doesNotStart(worker.image);
  if (fails) putWorker(queue, { ...worker, status: 'UNHEALTHY', crashedAt: at });
  else putWorker(queue, { ...worker, status: 'IDLE', readyAt: at, idleSince: at });
}

export function stopAllWorkers(state: State, queue: EndpointQueue, at: EpochMs): void {
  for (const worker of workersIn(queue)) stopWorker(state, queue, worker, at);
}

/** Keeps its history. `endReason` is undefined when scaling stops it. */
export function stopWorker(state: State, queue: EndpointQueue, worker: Worker, at: EpochMs, endReason?: string): void {
  removeWorker(queue, worker.id);
  queue.signals += 1;
  recordUsage(queuesOf(state), worker, at);
  const ended: Worker = { ...worker, endedAt: at, ...(endReason === undefined ? {} : { endReason }) };
  queue.ended = [ended, ...queue.ended].slice(0, MAX_ENDED_WORKERS);
}

function useWorkers(scaling: Scaling): void {
  const { state, queue, endpoint, at } = scaling;
  if (queue.isUnsettled) settle(scaling);
  if (!takesByProtocol(endpoint)) assignJobs(state, queue, at);
}

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

/** The newest first. */
function stopSurplus({ state, queue, endpoint, at }: Scaling): void {
  const surplus = Math.max(0, workerCount(queue) - endpoint.workers.max);
  if (surplus === 0) return;
  const free = workersIn(queue).filter((worker) => isOurs(worker) && worker.status !== 'RUNNING');
  for (const worker of free.reverse().slice(0, surplus)) stopWorker(state, queue, worker, at);
}

/** One by one, each after the previous cold start. A running worker finishes its job first. */
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

/** Only those that no job waits for; crashed ones once another worker may be started. */
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

/** In the data center with the fewest workers; starts none without a placement. */
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

import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { doesNotStart, imageOfProgram } from '../model/container.ts';
import type { EndpointRecord, WorkerHardware } from '../model/endpoints.ts';
import type { State } from '../state/state.ts';
import { applyEvent, freeWorker, STOP_GRACE_MS } from './job-changes.ts';
import {
  type EndpointQueue,
  type ProtocolWorker,
  queuesOf,
  realNow,
  type Usage,
  type Worker,
  type WorkerFault,
  workersIn,
} from './records.ts';

export const COLD_START_MS: Milliseconds = 1000;
export const PING_INTERVAL_MS: Milliseconds = 10_000;
export const SILENCE_MS: Milliseconds = 3 * PING_INTERVAL_MS;

/** How long after a take an injected fault kills the worker. */
const KILL_DELAY_MS: Milliseconds = 500;

const MAX_ENDED_WORKERS = 20;
const MAX_USAGE = 10_000;

export function addWorker(
  { state, queue, endpoint, at }: WorkerPlace,
  id: string,
  hardware: WorkerHardware,
  protocolKind?: ProtocolWorker['kind'],
): Worker {
  return (queue.workers[id] = {
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
    ...(protocolKind !== undefined && { protocol: { kind: protocolKind, seenAt: realNow(state), stops: [] } }),
  });
}

export interface WorkerPlace {
  readonly state: State;
  readonly queue: EndpointQueue;
  readonly endpoint: EndpointRecord;
  readonly at: EpochMs;
}

export function workerReady(worker: Worker, at: EpochMs): void {
  // Images are not run: what a program of the user serves has started.
  if (worker.protocol === undefined && doesNotStart(worker.image)) {
    worker.status = 'UNHEALTHY';
    worker.crashedAt = at;
  } else {
    worker.status = 'IDLE';
    worker.readyAt = at;
    worker.idleSince = at;
  }
}

/** Keeps its history. `endReason` is undefined when scaling stops it. */
export function stopWorker(state: State, queue: EndpointQueue, worker: Worker, at: EpochMs, endReason?: string): void {
  Reflect.deleteProperty(queue.workers, worker.id);
  const queues = queuesOf(state);
  if (queues.usage.push(spanOf(worker, at)) > MAX_USAGE) queues.usage.shift();
  worker.endedAt = at;
  if (endReason !== undefined) worker.endReason = endReason;
  queue.ended = [worker, ...queue.ended].slice(0, MAX_ENDED_WORKERS);
}

/** Counted from a worker's start, including the cold start. */
export const usageOf = (state: State, now: EpochMs): readonly Usage[] => [
  ...queuesOf(state).usage,
  ...Object.values(queuesOf(state).byEndpoint)
    .flatMap(workersIn)
    .map((worker) => spanOf(worker, now)),
];

const spanOf = ({ endpointId, hardware, disk, startedAt }: Worker, to: EpochMs): Usage => ({
  endpointId,
  ...hardware,
  disk,
  from: startedAt,
  to,
});

/** Queues its jobs again. Without `reason`, its log says why already. */
export function loseWorker(state: State, queue: EndpointQueue, worker: Worker, at: EpochMs, reason?: string): void {
  requeueJobs(state, worker, at);
  stopWorker(state, queue, worker, at, reason);
}

export function requeueJobs(state: State, worker: Worker, at: EpochMs): void {
  for (const jobId of [...worker.jobIds]) {
    const job = queuesOf(state).jobs[jobId];
    if (job !== undefined) applyEvent(state, job, { kind: 'lose', at });
  }
}

export interface ManagedWorker {
  readonly workerId: string;
  readonly endpointId: string;
  /** An injected fault kills the process without a grace period: crash, or out of memory. */
  readonly isKilled: boolean;
}

/** Processes not in this list are stopped. Only endpoints served with a command have such workers. */
export const managedWorkers = (state: State): readonly ManagedWorker[] =>
  Object.values(queuesOf(state).byEndpoint)
    .flatMap(workersIn)
    .filter(({ status, protocol }) => protocol?.kind === 'managed' && status !== 'UNHEALTHY')
    .map(({ id, endpointId, protocol }) => ({ workerId: id, endpointId, isKilled: kills(protocol?.fault) }));

export const kills = (fault: WorkerFault | undefined): boolean => fault?.kind === 'crash' || fault?.kind === 'oom';

/** Workers may be ready, or lost. Gives the time of the next look. */
export function checkWorkers({ state, queue, at }: WorkerPlace): EpochMs {
  return workersIn(queue).reduce((next, worker) => Math.min(next, checkWorker(state, queue, worker, at)), Infinity);
}

function checkWorker(state: State, queue: EndpointQueue, worker: Worker, at: EpochMs): EpochMs {
  const { protocol } = worker;
  if (protocol !== undefined)
    return worker.status === 'IDLE' || worker.status === 'RUNNING'
      ? checkProtocolWorker(state, queue, worker, protocol, at)
      : Infinity;
  if (worker.status !== 'INITIALIZING') return Infinity;
  if (at < worker.startedAt + COLD_START_MS) return worker.startedAt + COLD_START_MS;
  workerReady(worker, at);
  return Infinity;
}

/** Real time: workers cannot send requests while the clock is advanced. Faults use the service's clock. */
function checkProtocolWorker(
  state: State,
  queue: EndpointQueue,
  worker: Worker,
  protocol: ProtocolWorker,
  at: EpochMs,
): EpochMs {
  const { fault, kind, seenAt } = protocol;
  if (fault !== undefined && kills(fault)) {
    if (at < fault.since + KILL_DELAY_MS) return fault.since + KILL_DELAY_MS;
    const how = fault.kind === 'oom' ? 'it ran out of memory and was killed' : 'it was killed';
    worker.crashedAt = at;
    worker.crashReason = `${how} (an injected fault)`;
    loseWorker(state, queue, worker, at);
    return Infinity;
  }
  const needsNone = kind === 'managed' && worker.jobIds.length === 0;
  const silentMs = fault?.kind === 'silent' ? at - fault.since : needsNone ? 0 : realNow(state) - seenAt;
  if (silentMs >= SILENCE_MS) {
    loseWorker(state, queue, worker, at, `no sign of life for ${String(SILENCE_MS / 1000)} s`);
    return Infinity;
  }
  let left = SILENCE_MS - silentMs;
  for (const stop of protocol.stops) {
    // A worker that was asked has until a heartbeat shows the job.
    const graceMs = stop.since + STOP_GRACE_MS + (stop.isSent ? PING_INTERVAL_MS : 0) - realNow(state);
    if (graceMs > 0) left = Math.min(left, graceMs);
    else if (kind === 'managed') {
      loseWorker(state, queue, worker, at, didNotStop(stop.jobId));
      return Infinity;
    } else if (fault?.kind === 'hang') {
      // The process of an attached worker cannot be stopped: it takes part again.
      delete protocol.fault;
      endStops(worker, at, (jobId) => jobId === stop.jobId);
    }
  }
  return Math.max(at, state.asOf) + left;
}

export const didNotStop = (jobId: string): string => `it did not stop job ${jobId}`;

/** The worker may become idle. With an injected `hang` it has stopped none. */
export function endStops(worker: Worker, at: EpochMs, isStopped: (jobId: string) => boolean): void {
  const { protocol } = worker;
  if (protocol === undefined) return;
  const { fault } = protocol;
  protocol.stops = protocol.stops.filter(
    ({ jobId }) => !isStopped(jobId) || (fault?.kind === 'hang' && fault.jobId === jobId),
  );
  freeWorker(worker, at);
}

/** No worker can reach a suspended service: neither silence nor grace periods count that time. */
export function ignorePause(state: State, milliseconds: Milliseconds): void {
  for (const { protocol } of Object.values(queuesOf(state).byEndpoint).flatMap(workersIn)) {
    if (protocol === undefined) continue;
    protocol.seenAt += milliseconds;
    for (const stop of protocol.stops) stop.since += milliseconds;
  }
}

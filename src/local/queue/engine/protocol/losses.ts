import { endpoints } from '../../../model/endpoints/seed.ts';
import { takesByProtocol } from '../../../model/endpoints/record.ts';
import type { State } from '../../../state/state.ts';
import { putWorker, queueOf, workersIn } from '../../state/endpoint-queue.ts';
import { queuesOf, type EndpointQueue, type TimerEvent, type Worker, type WorkerFault } from '../../state/records.ts';
import { applyEvent } from '../job-status-changes.ts';
import { setTimer } from '../timers.ts';
import { reconcile, stopWorker } from '../workers.ts';
import { laterBy, realNow, STOP_GRACE_MS, stopTimer, withoutStops } from './stops.ts';

/** How often a worker sends a heartbeat. Milliseconds. */
export const PING_INTERVAL_MS = 10_000;

/** A worker without a request for this time is lost. Milliseconds. */
export const SILENCE_MS = 3 * PING_INTERVAL_MS;

/** The longest time until another worker is started after failed starts, and the first one. Milliseconds. */
const MAX_BACKOFF_MS = 60_000;
const FIRST_BACKOFF_MS = 1000;

/** The events of timers about one worker that speaks the worker protocol. */
type WorkerTimerEvent = Extract<TimerEvent, { kind: 'worker-silent' | 'worker-stop' | 'worker-killed' }>;

/** A worker whose process should run now. */
export interface ManagedWorker {
  readonly workerId: string;
  readonly endpointId: string;
  /** An injected fault kills the process now, without a grace period: it crashed, or ran out of memory. */
  readonly kill?: 'crash' | 'oom';
}

/** How the process of a worker ended. */
export interface WorkerExit {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The reason in words, when it could not be started. */
  readonly error?: string;
}

/**
 * The workers whose processes the local service runs: it starts those that are missing, and stops the process of a
 * worker that is no longer in this list. Only endpoints that are served with a command have such workers.
 */
export const managedWorkers = (state: State): readonly ManagedWorker[] =>
  Object.values(queuesOf(state).byEndpoint)
    .flatMap(workersIn)
    .flatMap(({ id, endpointId, protocol }) => {
      if (protocol?.kind !== 'managed') return [];
      const kill = killOf(protocol.fault);
      return [{ workerId: id, endpointId, ...(kill === undefined ? {} : { kill }) }];
    });

const killOf = (fault: WorkerFault | undefined): ManagedWorker['kill'] =>
  fault?.kind === 'crash' || fault?.kind === 'oom' ? fault.kind : undefined;

/**
 * Records that the process of a managed worker has ended: its jobs are queued again. When it ended before it took a job, it is
 * a failed start, and the next worker is started after a time that doubles each time (1 s to 60 s). Ignored when the worker
 * was removed before.
 */
export function recordWorkerExit(
  state: State,
  endpointId: string,
  workerId: string,
  exit: WorkerExit,
  now: number,
): void {
  const queue = queuesOf(state).byEndpoint[endpointId];
  const worker = queue?.workers[workerId];
  if (queue === undefined || worker?.protocol?.kind !== 'managed') return;
  if (worker.status === 'INITIALIZING') {
    const count = (queue.failedStarts?.count ?? 0) + 1;
    queue.failedStarts = { count, until: now + Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (count - 1)) };
  }
  loseWorker(state, queue, worker, now, exitText(exit));
}

const exitText = ({ code, signal, error }: WorkerExit): string =>
  error ??
  (signal === null ? `its process ended with exit code ${String(code)}` : `its process was ended by ${signal}`);

/**
 * Removes all workers that take jobs by the worker protocol, and queues their jobs again: at the start of a service
 * none of their processes runs. After that, workers are started according to the settings of their endpoints.
 */
export function loseAllWorkers(state: State, now: number): void {
  for (const endpoint of endpoints.all(state)) {
    if (!takesByProtocol(endpoint)) continue;
    const queue = queueOf(state, endpoint.id);
    for (const worker of workersIn(queue)) loseWorker(state, queue, worker, now, 'the local service was started again');
    delete queue.failedStarts;
    reconcile(state, endpoint.id, now);
  }
}

/** Removes a worker; its jobs are queued again. */
export function loseWorker(state: State, queue: EndpointQueue, worker: Worker, at: number, reason: string): void {
  for (const jobId of worker.jobIds) {
    const job = queuesOf(state).jobs[jobId];
    if (job !== undefined) applyEvent(state, job, { kind: 'lose', at });
  }
  stopWorker(state, queue, queue.workers[worker.id] ?? worker, at, reason);
  reconcile(state, worker.endpointId, at);
}

/** Sets the timer that checks whether a worker has been silent for too long. One is set per worker at a time. */
export function watchSilence(state: State, worker: Worker, at: number): void {
  setTimer(queuesOf(state), at, { kind: 'worker-silent', endpointId: worker.endpointId, workerId: worker.id });
}

/** Does what a timer about a worker asks for; nothing when the worker is gone. */
export function applyWorkerTimer(state: State, event: WorkerTimerEvent, at: number): void {
  const queue = queueOf(state, event.endpointId);
  const worker = queue.workers[event.workerId];
  if (worker?.protocol === undefined) return;
  switch (event.kind) {
    case 'worker-silent':
      checkSilence(state, queue, worker, at);
      return;
    case 'worker-stop':
      checkStop(state, queue, worker, event.jobId, at);
      return;
    case 'worker-killed': {
      const reason = worker.protocol.fault?.kind === 'oom' ? 'it ran out of memory and was killed' : 'it crashed';
      loseWorker(state, queue, worker, at, `${reason} (an injected fault)`);
      return;
    }
  }
}

/**
 * A managed worker without jobs does not have to send requests: its process is watched. Silence is measured in real
 * time, because a worker cannot make requests in the time by which the clock was advanced; an injected fault is by the
 * service's clock.
 */
function checkSilence(state: State, queue: EndpointQueue, worker: Worker, at: number): void {
  const { protocol } = worker;
  if (protocol === undefined) return;
  const { fault, kind, polls, seenAt } = protocol;
  const needsNone = polls > 0 || (kind === 'managed' && worker.jobIds.length === 0);
  const silentMs = fault?.kind === 'silent' ? at - fault.since : needsNone ? 0 : realNow(state) - seenAt;
  if (silentMs < SILENCE_MS) watchSilence(state, worker, laterBy(state, at, SILENCE_MS - silentMs));
  else loseWorker(state, queue, worker, at, `no sign of life for ${String(SILENCE_MS / 1000)} s`);
}

/**
 * The process of a managed worker that has not stopped a job in time is stopped; its other jobs are queued again. A
 * worker that was asked to stop the job has time until a heartbeat shows that it still runs it. The local service
 * cannot stop the process of an attached worker.
 */
function checkStop(state: State, queue: EndpointQueue, worker: Worker, jobId: string, at: number): void {
  const stop = worker.protocol?.stops.find((each) => each.jobId === jobId);
  if (stop === undefined || worker.protocol === undefined) return;
  const until = stop.toldAt === undefined ? stop.since + STOP_GRACE_MS : stop.toldAt + PING_INTERVAL_MS + STOP_GRACE_MS;
  const left = until - realNow(state);
  if (left > 0) setTimer(queuesOf(state), laterBy(state, at, left), stopTimer(worker, jobId));
  else if (worker.protocol.kind === 'managed') loseWorker(state, queue, worker, at, didNotStop(jobId));
  else if (worker.protocol.fault?.kind === 'hang') endHang(state, queue, worker, at);
}

/** An attached worker can get jobs again when the job that an injected fault made hang has ended. */
function endHang(state: State, queue: EndpointQueue, worker: Worker, at: number): void {
  if (worker.protocol === undefined) return;
  const { fault, ...protocol } = worker.protocol;
  putWorker(
    queue,
    withoutStops({ ...worker, protocol }, at, (jobId) => jobId === fault?.jobId),
  );
  queue.signals += 1;
  reconcile(state, worker.endpointId, at);
}

/** The reason for stopping a worker that still runs a job that it was asked to stop. */
export const didNotStop = (jobId: string): string => `it did not stop job ${jobId}`;

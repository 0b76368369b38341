import { type EpochMs, type Milliseconds, MINUTE_MS } from '../../../core/unit-types.ts';
import { endpoints, takesByProtocol } from '../../model/endpoints.ts';
import type { State } from '../../state/state.ts';
import { putWorker, queueOf, waitingJobs, workersIn } from '../state/endpoint-queue.ts';
import {
  queuesOf,
  type Crashes,
  type EndpointQueue,
  type TimerEvent,
  type Worker,
  type WorkerFault,
} from '../state/records.ts';
import { applyEvent } from '../jobs/job-status-changes.ts';
import { setTimer } from '../jobs/timers.ts';
import { reconcile, stopWorker } from '../jobs/workers.ts';
import { changeProtocol, laterBy, realNow, STOP_GRACE_MS, stopTimer, withoutStops } from '../jobs/stops.ts';

export const PING_INTERVAL_MS: Milliseconds = 10_000;

export const SILENCE_MS: Milliseconds = 3 * PING_INTERVAL_MS;

const MAX_BACKOFF_MS: Milliseconds = MINUTE_MS;
const FIRST_BACKOFF_MS = 1000;

type WorkerTimerEvent = Extract<TimerEvent, { kind: 'worker-silent' | 'worker-stop' | 'worker-killed' }>;

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

/** Each crash in a row doubles the time to a new worker (1 s to 60 s). Ignored for a removed worker. */
export function recordWorkerExit(state: State, endpointId: string, workerId: string, how: string, now: EpochMs): void {
  const queue = queuesOf(state).byEndpoint[endpointId];
  const worker = queue?.workers[workerId];
  if (queue === undefined || worker?.protocol?.kind !== 'managed' || worker.status === 'UNHEALTHY') return;
  const crashes = crashesAfter(queue, worker, now);
  if (crashes === undefined) {
    loseWorker(state, queue, worker, now, how);
    return;
  }
  queue.crashes = crashes;
  if (crashes.until <= now) crash(state, queue, worker, now, how);
  else {
    requeueJobs(state, worker, now);
    const { idleSince: _idle, ...kept } = queue.workers[workerId] ?? worker;
    putWorker(queue, { ...kept, status: 'UNHEALTHY', crashedAt: now, crashReason: how });
    queue.signals += 1;
    reconcile(state, endpointId, now);
  }
}

/** Its program can serve no job. The next job starts it again after the first pause of crashes. */
export function refuseWaitingJobs(state: State, endpointId: string, error: string, now: EpochMs): void {
  const queue = queueOf(state, endpointId);
  for (const job of [...waitingJobs(state, queue)]) applyEvent(state, job, { kind: 'refuse', at: now, error });
  if ((endpoints.get(state, endpointId)?.workers.min ?? 0) === 0) delete queue.crashes;
}

/** The end of a worker without any job is a crash: else such a program would be restarted forever. */
function crashesAfter({ crashes }: EndpointQueue, worker: Worker, now: EpochMs): Crashes | undefined {
  const { atStart = 0, atWork = 0 } = crashes ?? {};
  if (worker.protocol?.hasFailedStart === true) return { atStart, atWork: atWork + 1, until: now + backoffMs(atWork) };
  if (worker.status === 'INITIALIZING') return { atStart: atStart + 1, atWork, until: now + backoffMs(atStart) };
  const hasWorked = worker.jobIds.length === 0 && worker.runs.length > 0;
  if (hasWorked || worker.protocol?.fault !== undefined) return undefined;
  // A first crash may have any cause: its jobs are tried again at once.
  return { atStart, atWork: atWork + 1, until: atWork === 0 ? now : now + backoffMs(atWork - 1) };
}

const backoffMs = (earlier: number): number => Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** earlier);

/** At the start of a service none of their processes runs: their jobs are queued again. */
export function loseAllWorkers(state: State, now: EpochMs): void {
  for (const endpoint of endpoints.all(state)) {
    if (!takesByProtocol(endpoint)) continue;
    const queue = queueOf(state, endpoint.id);
    for (const worker of workersIn(queue)) loseWorker(state, queue, worker, now, 'the local service was started again');
    delete queue.crashes;
    reconcile(state, endpoint.id, now);
  }
}

/** No worker can reach a suspended service: neither silence nor grace periods count that time. */
export function ignorePause(state: State, milliseconds: Milliseconds): void {
  for (const queue of Object.values(queuesOf(state).byEndpoint))
    for (const worker of workersIn(queue)) {
      const { protocol } = worker;
      if (protocol === undefined) continue;
      const stops = protocol.stops.map(({ toldAt, ...stop }) => ({
        ...stop,
        since: stop.since + milliseconds,
        ...(toldAt === undefined ? {} : { toldAt: toldAt + milliseconds }),
      }));
      changeProtocol(queue, worker, { seenAt: protocol.seenAt + milliseconds, stops });
    }
}

function crash(state: State, queue: EndpointQueue, worker: Worker, at: number, how: string): void {
  putWorker(queue, { ...worker, crashedAt: at, crashReason: how });
  loseWorker(state, queue, worker, at);
}

/** Queues its jobs again. Without `reason`, its log says why already. */
export function loseWorker(state: State, queue: EndpointQueue, worker: Worker, at: number, reason?: string): void {
  requeueJobs(state, worker, at);
  stopWorker(state, queue, queue.workers[worker.id] ?? worker, at, reason);
  reconcile(state, worker.endpointId, at);
}

function requeueJobs(state: State, worker: Worker, at: number): void {
  for (const jobId of worker.jobIds) {
    const job = queuesOf(state).jobs[jobId];
    if (job !== undefined) applyEvent(state, job, { kind: 'lose', at });
  }
}

/** One timer per worker at a time. */
export function watchSilence(state: State, worker: Worker, at: number): void {
  setTimer(state, at, { kind: 'worker-silent', endpointId: worker.endpointId, workerId: worker.id });
}

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
      const how = worker.protocol.fault?.kind === 'oom' ? 'it ran out of memory and was killed' : 'it was killed';
      crash(state, queue, worker, at, `${how} (an injected fault)`);
      return;
    }
  }
}

/** Real time: workers cannot send requests while the clock is advanced. Faults use the service's clock. */
function checkSilence(state: State, queue: EndpointQueue, worker: Worker, at: number): void {
  const { protocol } = worker;
  if (protocol === undefined) return;
  const { fault, kind, polls, seenAt } = protocol;
  const needsNone = polls > 0 || (kind === 'managed' && worker.jobIds.length === 0);
  const silentMs = fault?.kind === 'silent' ? at - fault.since : needsNone ? 0 : realNow(state) - seenAt;
  if (silentMs < SILENCE_MS) watchSilence(state, worker, laterBy(state, at, SILENCE_MS - silentMs));
  else loseWorker(state, queue, worker, at, `no sign of life for ${String(SILENCE_MS / 1000)} s`);
}

/** A worker has until a heartbeat shows the job. The process of an attached one cannot be stopped. */
function checkStop(state: State, queue: EndpointQueue, worker: Worker, jobId: string, at: number): void {
  const stop = worker.protocol?.stops.find((each) => each.jobId === jobId);
  if (stop === undefined || worker.protocol === undefined) return;
  const until = stop.toldAt === undefined ? stop.since + STOP_GRACE_MS : stop.toldAt + PING_INTERVAL_MS + STOP_GRACE_MS;
  const left = until - realNow(state);
  if (left > 0) setTimer(state, laterBy(state, at, left), stopTimer(worker, jobId));
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

export const didNotStop = (jobId: string): string => `it did not stop job ${jobId}`;

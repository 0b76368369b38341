import { type EpochMs, type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { endpoints, isThrottled, placementsFor, takesByProtocol, type WorkerHardware } from '../model/endpoints.ts';
import type { State } from '../state/state.ts';
import { applyEvent } from './job-changes.ts';
import {
  inProgress,
  queueOf,
  queuesOf,
  waitingCount,
  waitingJobs,
  wakeEndpoint,
  type Worker,
  workersIn,
} from './records.ts';
import { addWorker, checkWorkers, COLD_START_MS, stopWorker, type WorkerPlace } from './workers.ts';

const PLACEMENT_RETRY_MS: Milliseconds = MINUTE_MS;

/** Brings an endpoint's workers to what its jobs and settings need now. Never stops a RUNNING worker. */
export function scale(state: State, endpointId: string, at: EpochMs): void {
  const endpoint = endpoints.get(state, endpointId);
  if (endpoint === undefined) return;
  const queue = queueOf(state, endpointId);
  const place = { state, queue, endpoint, at };
  const wake = (time: EpochMs): void => {
    wakeEndpoint(state, queue, endpointId, time);
  };
  wake(checkWorkers(place));
  stopSurplus(place);
  replaceStale(place);
  if (!takesByProtocol(endpoint)) assignJobs(place);
  wake(stopIdle(place));
  stopUnhealthy(place);
  wake(startMissing(place));
  wake(overdueJobs(place).nextAt);
}

/** QUEUE_DELAY: one when a job waits, one more per overdue job. A worker with several jobs counts once. */
function wantedWorkers(place: WorkerPlace): number {
  const { queue, endpoint } = place;
  const { min, max } = endpoint.workers;
  const waiting = waitingCount(queue);
  const running = workersIn(queue).filter(({ status }) => status === 'RUNNING').length;
  const demand =
    endpoint.scaling.type === 'REQUEST_COUNT'
      ? Math.ceil((waiting + inProgress(queue)) / endpoint.scaling.requestCount)
      : waiting === 0
        ? running
        : Math.max(1, running + overdueJobs(place).count);
  return Math.min(max, Math.max(min, demand));
}

/** Jobs that waited long enough for another worker, and when the next one has. */
function overdueJobs({ state, queue, endpoint, at }: WorkerPlace): {
  readonly count: number;
  readonly nextAt: EpochMs;
} {
  if (endpoint.scaling.type !== 'QUEUE_DELAY') return { count: 0, nextAt: Infinity };
  const delayMs = endpoint.scaling.queueDelay * 1000;
  let count = 0;
  let nextAt = Infinity;
  for (const line of [queue.waiting, queue.waitingLow])
    for (const id of line) {
      const overdueAt = (queuesOf(state).jobs[id]?.queuedAt ?? 0) + delayMs;
      if (overdueAt > at) nextAt = Math.min(nextAt, overdueAt);
      // With this many overdue jobs, the number of workers is already the maximum.
      if (overdueAt > at || ++count > endpoint.workers.max) break;
    }
  return { count, nextAt };
}

const surplusOf = ({ queue, endpoint }: WorkerPlace): number => workersIn(queue).length - endpoint.workers.max;

/** Scaling neither starts nor stops an attached worker. */
const oursIn = ({ queue }: WorkerPlace): readonly Worker[] =>
  workersIn(queue).filter(({ protocol }) => protocol?.kind !== 'attached');

function stopSurplus(place: WorkerPlace): void {
  for (const worker of oursIn(place).toReversed())
    if (worker.status !== 'RUNNING' && surplusOf(place) > 0) stopWorker(place.state, place.queue, worker, place.at);
}

/** One by one, each after the previous cold start. A running worker finishes its job first. */
function replaceStale(place: WorkerPlace): void {
  const { state, queue, endpoint, at } = place;
  for (const worker of oursIn(place)) {
    if (worker.version === endpoint.version || worker.status === 'RUNNING') continue;
    const isReplacing = workersIn(queue).some(
      ({ status, version }) => status === 'INITIALIZING' && version === endpoint.version,
    );
    if (isReplacing && worker.status === 'IDLE') continue;
    stopWorker(state, queue, worker, at);
    startMissing(place);
  }
}

function assignJobs({ state, queue, at }: WorkerPlace): void {
  if (waitingCount(queue) === 0) return;
  // The newest version first, so that stale workers become idle and are replaced.
  const idle = workersIn(queue)
    .filter(({ status, hardware }) => status === 'IDLE' && !isThrottled(state, hardware))
    .sort((a, b) => b.version - a.version);
  for (const worker of idle)
    for (const job of waitingJobs(state, queue)) {
      applyEvent(state, job, { kind: 'start', at, workerId: worker.id });
      break;
    }
}

function stopIdle(place: WorkerPlace): EpochMs {
  const { state, queue, endpoint, at } = place;
  let nextAt = Infinity;
  for (const worker of oursIn(place)) {
    if (worker.status !== 'IDLE' || workersIn(queue).length <= endpoint.workers.min) continue;
    const endsAt = (worker.idleSince ?? at) + endpoint.workers.idleTimeout * 1000;
    if (endsAt <= at) stopWorker(state, queue, worker, at);
    else nextAt = Math.min(nextAt, endsAt);
  }
  return nextAt;
}

/** Only those that no job waits for; crashed ones once another worker may be started. */
function stopUnhealthy(place: WorkerPlace): void {
  const { state, queue, at } = place;
  const unhealthy = workersIn(queue).filter(({ status }) => status === 'UNHEALTHY');
  for (const worker of unhealthy) {
    const isReplaced = worker.protocol !== undefined && (queue.crashes?.until ?? at) <= at;
    if (isReplaced || workersIn(queue).length > wantedWorkers(place)) stopWorker(state, queue, worker, at);
  }
}

function startMissing(place: WorkerPlace): EpochMs {
  const { state, queue, endpoint, at } = place;
  const until = queue.crashes?.until ?? at;
  if (until > at) return until;
  if (endpoint.handler === 'attach') return Infinity;
  const missing = wantedWorkers(place) - workersIn(queue).length;
  const placements = missing > 0 ? placementsFor(state, endpoint) : [];
  for (let count = 0; count < missing; count++) startWorker(place, placements);
  return missing > 0 && placements.length === 0 ? at + PLACEMENT_RETRY_MS : Infinity;
}

/** In the data center with the fewest workers; starts none without a placement. */
function startWorker(place: WorkerPlace, placements: readonly WorkerHardware[]): void {
  const { state, queue, endpoint, at } = place;
  const workersAt = ({ dataCenterId }: WorkerHardware): number =>
    workersIn(queue).filter(({ hardware }) => hardware.dataCenterId === dataCenterId).length;
  const [hardware] = placements.toSorted((a, b) => workersAt(a) - workersAt(b));
  if (hardware === undefined) return;
  state.serial += 1;
  const id = `w${state.serial.toString(16).padStart(7, '0')}`;
  // The worker of a program is ready when its process requests a job for the first time.
  addWorker(place, id, hardware, endpoint.handler === 'protocol' ? 'managed' : undefined);
  wakeEndpoint(state, queue, endpoint.id, at + COLD_START_MS);
}

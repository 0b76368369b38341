import type { State } from '../../state/state.ts';
import { putWorker } from '../state/endpoint-queue.ts';
import type { EndpointQueue, ProtocolWorker, TimerEvent, Worker } from '../state/records.ts';
import { setTimer } from './timers.ts';
import type { EpochMs, Milliseconds } from '../../../core/unit-types.ts';

/** The grace period: maximum time until a worker has stopped a job that it was asked to stop. */
export const STOP_GRACE_MS: Milliseconds = 5000;

/**
 * Records that a worker must stop a job that ended before the worker finished it (contract, worker protocol: job-stop),
 * and makes its waiting request for jobs to stop return. The worker is not idle until it has stopped the job.
 */
export function askToStop(state: State, queue: EndpointQueue, worker: Worker, jobId: string, at: EpochMs): void {
  const { protocol } = worker;
  if (protocol === undefined) return;
  const stops = [...protocol.stops, { jobId, since: realNow(state) }];
  changeProtocol(queue, worker, { stops });
  queue.signals += 1;
  setTimer(state, at + STOP_GRACE_MS, stopTimer(worker, jobId));
}

/** Changes what is known of a worker that takes its jobs by the worker protocol. Ignores any other worker. */
export function changeProtocol(
  queue: EndpointQueue,
  worker: Worker | undefined,
  change: Partial<ProtocolWorker>,
): void {
  if (worker?.protocol !== undefined) putWorker(queue, { ...worker, protocol: { ...worker.protocol, ...change } });
}

/** The event of the timer that checks whether a worker has stopped a job. */
export const stopTimer = ({ endpointId, id }: Worker, jobId: string): TimerEvent => ({
  kind: 'worker-stop',
  endpointId,
  workerId: id,
  jobId,
});

/** The time that has really passed: the service's time without what the clock was advanced by. */
export const realNow = (state: State): number => state.asOf - state.clockOffsetMs;

/** The service's time when `milliseconds` will really have passed. */
export const laterBy = (state: State, at: EpochMs, milliseconds: Milliseconds): EpochMs =>
  Math.max(at, state.asOf) + milliseconds;

/**
 * Returns the worker as IDLE from `at`, when it is RUNNING and no longer works on a job, neither on one of its own nor
 * on one that it must stop; otherwise the same record.
 */
export function freed(worker: Worker, at: EpochMs): Worker {
  const isBusy = worker.jobIds.length > 0 || (worker.protocol?.stops.length ?? 0) > 0;
  return worker.status !== 'RUNNING' || isBusy ? worker : { ...worker, status: 'IDLE', idleSince: at };
}

/**
 * The worker after it has stopped the jobs for which `isStopped` is true. With an injected `hang` it has stopped none.
 */
export function withoutStops(worker: Worker, at: EpochMs, isStopped: (jobId: string) => boolean): Worker {
  const { protocol } = worker;
  if (protocol === undefined || protocol.stops.length === 0) return worker;
  const hangs = (jobId: string): boolean => protocol.fault?.kind === 'hang' && protocol.fault.jobId === jobId;
  const stops = protocol.stops.filter(({ jobId }) => !isStopped(jobId) || hangs(jobId));
  if (stops.length === protocol.stops.length) return worker;
  return freed({ ...worker, protocol: { ...protocol, stops } }, at);
}

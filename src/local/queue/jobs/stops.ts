import type { State } from '../../state/state.ts';
import { putWorker } from '../state/endpoint-queue.ts';
import type { EndpointQueue, ProtocolWorker, TimerEvent, Worker } from '../state/records.ts';
import { setTimer } from './timers.ts';
import type { EpochMs, Milliseconds } from '../../../core/unit-types.ts';

export const STOP_GRACE_MS: Milliseconds = 5000;

/** The worker is not idle until it has stopped the job (contract, worker protocol: job-stop). */
export function askToStop(state: State, queue: EndpointQueue, worker: Worker, jobId: string, at: EpochMs): void {
  const { protocol } = worker;
  if (protocol === undefined) return;
  const stops = [...protocol.stops, { jobId, since: realNow(state) }];
  changeProtocol(queue, worker, { stops });
  queue.signals += 1;
  setTimer(state, at + STOP_GRACE_MS, stopTimer(worker, jobId));
}

/** Ignores workers that do not use the worker protocol. */
export function changeProtocol(
  queue: EndpointQueue,
  worker: Worker | undefined,
  change: Partial<ProtocolWorker>,
): void {
  if (worker?.protocol !== undefined) putWorker(queue, { ...worker, protocol: { ...worker.protocol, ...change } });
}

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

/** The same record while it works on a job, its own or one that it must stop. */
export function freed(worker: Worker, at: EpochMs): Worker {
  const isBusy = worker.jobIds.length > 0 || (worker.protocol?.stops.length ?? 0) > 0;
  return worker.status !== 'RUNNING' || isBusy ? worker : { ...worker, status: 'IDLE', idleSince: at };
}

/** With an injected `hang` it has stopped none. */
export function withoutStops(worker: Worker, at: EpochMs, isStopped: (jobId: string) => boolean): Worker {
  const { protocol } = worker;
  if (protocol === undefined || protocol.stops.length === 0) return worker;
  const hangs = (jobId: string): boolean => protocol.fault?.kind === 'hang' && protocol.fault.jobId === jobId;
  const stops = protocol.stops.filter(({ jobId }) => !isStopped(jobId) || hangs(jobId));
  if (stops.length === protocol.stops.length) return worker;
  return freed({ ...worker, protocol: { ...protocol, stops } }, at);
}

import { containerLine, linesOfFailedStart, systemLine, type LogLine, type LogSource } from '../logs/log-stream.ts';
import { notFound } from '../../contract/problem.ts';
import { workersIn } from '../../queue/state/endpoint-queue.ts';
import { queuesOf, type Run, type Worker } from '../../queue/state/records.ts';
import { CHUNK_INTERVAL_MS } from '../../queue/jobs/builtin-handlers.ts';
import type { State } from '../../state/state.ts';
import { LAST_WORDS, programOf } from '../../model/images.ts';
import type { EpochMs } from '../../../core/unit-types.ts';
import type { EndpointRecord } from '../../model/endpoints/record.ts';

/**
 * The log of a running or a recently ended worker. `find` returns its endpoint. Both throw the 404 Problem when there is no
 * such endpoint or worker.
 */
export const workerLog = (find: (state: State, now: EpochMs) => EndpointRecord, workerId: string): LogSource => ({
  begin: (state, now) => {
    const { id } = find(state, now);
    const worker = workerOf(state, workerId);
    if (worker?.endpointId !== id) throw notFound();
    return worker.startedAt;
  },
  lines: (state, from, to) => {
    const worker = workerOf(state, workerId);
    return worker === undefined ? [] : linesOf(worker, from, to);
  },
});

const workerOf = (state: State, workerId: string): Worker | undefined =>
  Object.values(queuesOf(state).byEndpoint)
    .flatMap((queue) => [...workersIn(queue), ...queue.ended])
    .find(({ id }) => id === workerId);

/** A worker's log lines with `from <= at < to`, in order: system lines of the worker, container lines of its jobs. */
function linesOf(worker: Worker, from: number, to: number): readonly LogLine[] {
  const { hardware, startedAt, readyAt, crashedAt, crashReason, endedAt, endReason, protocol } = worker;
  const program = programOf(worker.image);
  const machine =
    hardware.gpu === undefined
      ? `${String(hardware.cpu?.vcpuCount ?? 0)} vCPU of ${hardware.cpu?.id ?? ''}`
      : `${String(hardware.gpu.count)} x ${hardware.gpu.id}`;
  const lines = [
    systemLine(startedAt, `worker ${worker.id} starting on ${machine} in ${hardware.dataCenterId}`),
    systemLine(startedAt, program === undefined ? `pulling image ${worker.image}` : `starting ${program}`),
    ...(readyAt === undefined ? [] : [systemLine(readyAt, `worker started, version ${String(worker.version)}`)]),
    ...(crashedAt === undefined || protocol !== undefined ? [] : linesOfFailedStart(crashedAt, LAST_WORDS)),
    ...worker.runs.flatMap((run) => linesOfRun(run, from, to)),
    ...(worker.printed ?? []).map(({ at, line }) => containerLine(at, line)),
    ...(crashedAt === undefined || protocol === undefined
      ? []
      : [systemLine(crashedAt, `worker crashed: ${crashReason ?? endReason ?? ''}`)]),
    ...(endedAt === undefined
      ? []
      : [systemLine(endedAt, endReason === undefined ? 'worker stopping' : `worker stopping: ${endReason}`)]),
  ];
  return lines.filter(({ at }) => at >= from && at < to).sort((a, b) => a.at - b.at);
}

/** The lines of a run; of its chunks only those in the time range, because there may be many. */
function linesOfRun(run: Run, from: number, to: number): readonly LogLine[] {
  const { jobId, attempt, notes = [] } = run;
  const end = run.to ?? Number.POSITIVE_INFINITY;
  const attemptText = attempt > 1 ? `, attempt ${String(attempt)}` : '';
  const first = Math.max(1, Math.ceil((from - run.from) / CHUNK_INTERVAL_MS));
  const last = Math.min(run.chunks, Math.floor((Math.min(to, end) - run.from) / CHUNK_INTERVAL_MS));
  const chunks: LogLine[] = [];
  for (let chunk = first; chunk <= last; chunk++)
    chunks.push(
      containerLine(run.from + chunk * CHUNK_INTERVAL_MS, `${jobId}: chunk ${String(chunk)} of ${String(run.chunks)}`),
    );
  return [
    systemLine(run.from, `job ${jobId} started${attemptText}`),
    containerLine(run.from, `${jobId}: input of ${String(run.inputBytes)} bytes`),
    ...chunks,
    ...notes.map(({ at, line }) => systemLine(at, line)),
    ...linesOfEnd(run),
  ];
}

function linesOfEnd({ jobId, from, to, end, outputBytes, error }: Run): readonly LogLine[] {
  if (to === undefined || end === undefined) return [];
  const finished = systemLine(to, `job ${jobId} finished: ${end} after ${String(to - from)} ms`);
  if (error !== undefined) return [containerLine(to, `${jobId}: ${error}`), finished];
  if (outputBytes !== undefined)
    return [containerLine(to, `${jobId}: output of ${String(outputBytes)} bytes`), finished];
  return [finished];
}

import type { LogLine, LogSource } from '../log-stream.ts';
import { notFound } from '../../contract/problem.ts';
import { workersIn } from '../../queue/state/endpoint-queue.ts';
import type { Run, Worker } from '../../queue/state/records.ts';
import { CHUNK_MS } from '../../queue/engine/builtin-handlers.ts';
import type { State } from '../../state/state.ts';
import type { EndpointRecord } from '../../model/endpoints/record.ts';

/**
 * A worker's log, of one that has ended too as long as it is remembered. `find` gives its endpoint and throws the 404
 * Problem where there is none, as this does for a worker.
 */
export const workerLog = (find: (state: State) => EndpointRecord, workerId: string): LogSource => ({
  begin: (state) => {
    const { id } = find(state);
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
  Object.values(state.queue.lanes)
    .flatMap((lane) => [...workersIn(lane), ...lane.ended])
    .find(({ id }) => id === workerId);

/** Every line of a worker's life with `from <= at < to`, in order: the system's of the worker, the container's of what its jobs do. */
function linesOf(worker: Worker, from: number, to: number): readonly LogLine[] {
  const { hardware, startedAt, readyAt, endedAt } = worker;
  const machine =
    hardware.gpu === undefined
      ? `${String(hardware.cpu?.vcpuCount ?? 0)} vCPU of ${hardware.cpu?.id ?? ''}`
      : `${String(hardware.gpu.count)} x ${hardware.gpu.id}`;
  const lines = [
    system(startedAt, `worker ${worker.id} starting on ${machine} in ${hardware.dataCenterId}`),
    system(startedAt, `pulling image ${worker.image}`),
    ...(readyAt === undefined ? [] : [system(readyAt, `worker started, version ${String(worker.version)}`)]),
    ...worker.runs.flatMap((run) => linesOfRun(run, from, to)),
    ...(worker.printed ?? []).map(({ at, line }) => container(at, line)),
    ...(endedAt === undefined ? [] : [system(endedAt, 'worker stopping')]),
  ];
  return lines.filter(({ at }) => at >= from && at < to).sort((a, b) => a.at - b.at);
}

/** Of a run's chunks only those of the span, for there may be many. */
function linesOfRun(run: Run, from: number, to: number): readonly LogLine[] {
  const { jobId, attempt } = run;
  const end = run.to ?? Number.POSITIVE_INFINITY;
  const tries = attempt > 1 ? `, attempt ${String(attempt)}` : '';
  const first = Math.max(1, Math.ceil((from - run.from) / CHUNK_MS));
  const last = Math.min(run.chunks, Math.floor((Math.min(to, end) - run.from) / CHUNK_MS));
  const chunks: LogLine[] = [];
  for (let chunk = first; chunk <= last; chunk++)
    chunks.push(container(run.from + chunk * CHUNK_MS, `${jobId}: chunk ${String(chunk)} of ${String(run.chunks)}`));
  return [
    system(run.from, `job ${jobId} started${tries}`),
    container(run.from, `${jobId}: input of ${String(run.inputBytes)} bytes`),
    ...chunks,
    ...linesOfEnd(run),
  ];
}

function linesOfEnd({ jobId, from, to, end, outputBytes, error }: Run): readonly LogLine[] {
  if (to === undefined || end === undefined) return [];
  const finished = system(to, `job ${jobId} finished: ${end} after ${String(to - from)} ms`);
  if (error !== undefined) return [container(to, `${jobId}: ${error}`), finished];
  if (outputBytes !== undefined) return [container(to, `${jobId}: output of ${String(outputBytes)} bytes`), finished];
  return [finished];
}

const system = (at: number, line: string): LogLine => ({ at, source: 'system', line });
const container = (at: number, line: string): LogLine => ({ at, source: 'container', line });

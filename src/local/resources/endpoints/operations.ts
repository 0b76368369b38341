import type { Json } from '../../../core/json.ts';
import type { EpochMs } from '../../../core/unit-types.ts';
import { notFound } from '../../contract/problem.ts';
import { type Call, found, operation, type Operation, steps } from '../../http/operation.ts';
import { listed } from '../../http/pages.ts';
import { LAST_WORDS, programOf } from '../../model/container.ts';
import { type EndpointRecord, endpoints, isThrottled } from '../../model/endpoints.ts';
import { endpointChanged, removeQueue } from '../../queue/engine.ts';
import { CHUNK_INTERVAL_MS } from '../../queue/job-output.ts';
import { queueOf, queuesOf, type Run, type Worker, workersIn, type WorkerStatus } from '../../queue/records.ts';
import {
  buildDocument,
  buildsDocument,
  createEndpoint,
  type CreateEndpointBody,
  endpointDocument,
  releasesDocument,
  updateEndpoint,
  type UpdateEndpointBody,
} from './configure.ts';
import {
  containerLine,
  linesOfFailedStart,
  type LogLine,
  type LogSource,
  logStream,
  systemLine,
} from '../log-stream.ts';
import type { State } from '../../state/state.ts';

/** Also of a recently ended worker. Throws the 404 Problem without such an endpoint or worker. */
const workerLog = (call: Call): LogSource => {
  const workerId = call.params['workerId'] ?? '';
  return {
    begin: (state, now) => {
      const { id } = find(state, call, now);
      const worker = workerOf(state, workerId);
      if (worker?.endpointId !== id) throw notFound();
      return worker.startedAt;
    },
    lines: (state, from, to) => {
      const worker = workerOf(state, workerId);
      return worker === undefined ? [] : linesOf(worker, from, to);
    },
  };
};

const workerOf = (state: State, workerId: string): Worker | undefined =>
  Object.values(queuesOf(state).byEndpoint)
    .flatMap((queue) => [...workersIn(queue), ...queue.ended])
    .find(({ id }) => id === workerId);

function linesOf(worker: Worker, from: number, to: number): readonly LogLine[] {
  const { id, hardware, startedAt, readyAt, crashedAt, crashReason, endedAt, endReason, protocol } = worker;
  const { gpu, cpu, dataCenterId } = hardware;
  const program = programOf(worker.image);
  const machine =
    gpu === undefined ? `${String(cpu?.vcpuCount ?? 0)} vCPU of ${cpu?.id ?? ''}` : `${String(gpu.count)} x ${gpu.id}`;
  const lines = [
    systemLine(startedAt, `worker ${id} starting on ${machine} in ${dataCenterId}`),
    systemLine(startedAt, program === undefined ? `pulling image ${worker.image}` : `starting ${program}`),
  ];
  if (readyAt !== undefined) lines.push(systemLine(readyAt, `worker started, version ${String(worker.version)}`));
  if (crashedAt !== undefined && protocol === undefined) lines.push(...linesOfFailedStart(crashedAt, LAST_WORDS));
  lines.push(...worker.runs.flatMap((run) => linesOfRun(run, from, to)));
  lines.push(...(worker.printed ?? []).map(({ at, line }) => containerLine(at, line)));
  if (crashedAt !== undefined && protocol !== undefined)
    lines.push(systemLine(crashedAt, `worker crashed: ${crashReason ?? endReason ?? ''}`));
  if (endedAt !== undefined)
    lines.push(systemLine(endedAt, `worker stopping${endReason === undefined ? '' : `: ${endReason}`}`));
  return lines.filter(({ at }) => at >= from && at < to).sort((a, b) => a.at - b.at);
}

/** Of its chunks only those in the time range: there may be many. */
function linesOfRun(run: Run, from: number, to: number): readonly LogLine[] {
  const { jobId, attempt, notes = [], end, error, outputBytes } = run;
  const first = Math.max(1, Math.ceil((from - run.from) / CHUNK_INTERVAL_MS));
  const last = Math.min(run.chunks, Math.floor((Math.min(to, run.to ?? Infinity) - run.from) / CHUNK_INTERVAL_MS));
  const lines = [
    systemLine(run.from, `job ${jobId} started${attempt > 1 ? `, attempt ${String(attempt)}` : ''}`),
    containerLine(run.from, `${jobId}: input of ${String(run.inputBytes)} bytes`),
  ];
  for (let chunk = first; chunk <= last; chunk++)
    lines.push(
      containerLine(run.from + chunk * CHUNK_INTERVAL_MS, `${jobId}: chunk ${String(chunk)} of ${String(run.chunks)}`),
    );
  lines.push(...notes.map(({ at, line }) => systemLine(at, line)));
  if (run.to === undefined || end === undefined) return lines;
  const result = error ?? (outputBytes === undefined ? undefined : `output of ${String(outputBytes)} bytes`);
  if (result !== undefined) lines.push(containerLine(run.to, `${jobId}: ${result}`));
  lines.push(systemLine(run.to, `job ${jobId} finished: ${end} after ${String(run.to - run.from)} ms`));
  return lines;
}

type ShownStatus = WorkerStatus | 'THROTTLED';

/** Last, and not in the specification, ended workers whose logs can still be read, newest first. */
function workersDocument(state: State, endpoint: EndpointRecord, now: EpochMs): Json {
  const queue = queueOf(state, endpoint.id);
  const workers = workersIn(queue);
  const inStatus = (wanted: ShownStatus): number =>
    workers.filter((worker) => shownStatus(state, worker) === wanted).length;
  return {
    endpointVersion: endpoint.version,
    summary: {
      running: inStatus('RUNNING'),
      idle: inStatus('IDLE'),
      initializing: inStatus('INITIALIZING'),
      throttled: inStatus('THROTTLED'),
      unhealthy: inStatus('UNHEALTHY'),
      total: workers.length,
    },
    workers: workers.map((worker) => workerDocument(worker, shownStatus(state, worker), endpoint, now)),
    ended: queue.ended.map(({ id, endedAt = now }) => ({ id, endedAt: new Date(endedAt).toISOString() })),
  };
}

/** A worker that waits, and whose hardware is taken by others, is THROTTLED. */
const shownStatus = (state: State, { status, hardware }: Worker): ShownStatus =>
  (status === 'IDLE' || status === 'INITIALIZING') && isThrottled(state, hardware) ? 'THROTTLED' : status;

const workerDocument = (
  { id, version, image, hardware, startedAt }: Worker,
  status: ShownStatus,
  endpoint: EndpointRecord,
  now: EpochMs,
): Json => ({
  id,
  status,
  isStale: version < endpoint.version,
  version,
  image,
  gpuCount: hardware.gpu?.count ?? 0,
  gpuTypeId: hardware.gpu?.id ?? null,
  dataCenterId: hardware.dataCenterId,
  uptimeSeconds: Math.max(0, Math.floor((now - startedAt) / 1000)),
  startedAt: new Date(startedAt).toISOString(),
});

function find(state: State, call: Call, now: EpochMs): EndpointRecord {
  const endpoint = endpoints.get(state, call.params['id'] ?? '');
  return found(endpoint?.hidden === true ? undefined : endpoint, call, now);
}

/** Serverless endpoints (contract rules, Serverless endpoints). Their jobs and workers are in `src/local/queue`. */
export const endpointOperations: readonly Operation[] = [
  ...steps({
    listEndpoints: (state, ...call) => {
      const shown = endpoints.all(state).filter(({ hidden }) => hidden !== true);
      const [{ origin }] = call;
      return listed('endpoints', shown, (endpoint) => endpointDocument(endpoint, origin), state, ...call);
    },
    createEndpoint: (state, call, now) => {
      const endpoint = createEndpoint(state, now, call.body as CreateEndpointBody);
      endpointChanged(state, endpoint.id);
      return endpointDocument(endpoint, call.origin);
    },
    getEndpoint: (state, call, now) => endpointDocument(find(state, call, now), call.origin),
    updateEndpoint: (state, call, now) => {
      const endpoint = find(state, call, now);
      updateEndpoint(state, endpoint, now, call.body as UpdateEndpointBody);
      endpointChanged(state, endpoint.id);
      return endpointDocument(endpoint, call.origin);
    },
    deleteEndpoint: (state, call, now) => {
      const { id } = find(state, call, now);
      removeQueue(state, id, now);
      endpoints.remove(state, id);
    },
    listEndpointWorkers: (state, call, now) => workersDocument(state, find(state, call, now), now),
    listEndpointReleases: (state, call, now) => releasesDocument(state, find(state, call, now), call),
    listEndpointBuilds: (state, call, now) => buildsDocument(state, find(state, call, now), call),
    getEndpointBuild: (state, call, now) => buildDocument(state, find(state, call, now), call.params['buildId'] ?? ''),
  }),
  operation('getWorkerLogs', (call) => logStream(call, workerLog(call))),
];

import { Exact, type Json } from '../../../core/json.ts';
import type { WorkerFaultPoint } from '../../../core/fault-kinds.ts';
import { notFound, Problem } from '../../contract/problem.ts';
import { DroppedConnection } from '../../frame/fault-effects.ts';
import { faults, takeWorkerFault, type FaultRecord } from '../../frame/faults.ts';
import { unpublished, type Call, type Operation, type Reply } from '../../frame/operation.ts';
import { takesByProtocol, type EndpointRecord } from '../../model/endpoints/record.ts';
import { endpoints } from '../../model/endpoints/seed.ts';
import type { State } from '../../state/state.ts';
import { recordProgress, recordResult, recordStreamed, runsJob, type JobOnWorker } from '../engine/protocol/results.ts';
import {
  canAttach,
  injectFault,
  isKilled,
  recordPing,
  retryTake,
  takeBack,
  takeJobs,
  takeStops,
  type Take,
} from '../engine/protocol/takes.ts';
import type { Job, WorkerFault } from '../state/records.ts';
import type { HeldRequests } from './held-requests.ts';
import { readChunk, readReport, readTake, readWorkerId } from './requests.ts';

export interface WorkerOperationsOptions {
  readonly held: HeldRequests;
  /** Returns a number from 0 up to, but not including, 1: for faults with a probability. */
  readonly random: () => number;
}

/**
 * Delay of the answer to a worker that was removed, so that it does not send requests without a pause. Milliseconds.
 */
const REMOVED_PAUSE_MS = 1000;

/** The answer to a removed worker: its library sends the request again, or ends when it was asked to end. */
const LEAVE: Reply = { status: 400, body: { error: 'this worker is to end: it gets no jobs' } };
const NOTHING: Reply = { status: 204 };
const OK: Reply = { status: 200, body: {} };

/** The operations of the worker protocol (contract, worker protocol: requests). */
export function createWorkerOperations({ held, random }: WorkerOperationsOptions): readonly Operation[] {
  const fault = (
    state: State,
    point: WorkerFaultPoint,
    call: Call,
    method: 'GET' | 'POST',
    path: string,
  ): FaultRecord | undefined =>
    takeWorkerFault(faults.of(state), point, { method, path: `/worker/${endpointIdOf(call)}/${path}` }, random);

  /** The jobs of a take, with the fault that affects it. */
  const started = (state: State, call: Call, take: Take, now: number): Take => {
    const [first] = take.kind === 'jobs' ? take.jobs : [];
    const kind = first && KIND_OF_FAULT[fault(state, 'take', call, 'GET', `job-take/${workerIdOf(call)}`)?.kind ?? ''];
    if (first !== undefined && kind !== undefined) injectFault(state, first, kind, now);
    return take;
  };

  const take = async (call: Call, isBatch: boolean): Promise<Reply> => {
    const request = readTake(call, isBatch);
    const answerOf = (taken: Take): Reply | undefined =>
      taken.kind === 'none' ? undefined : takeReply(taken, isBatch);
    const given: Job[] = [];
    const attempt = (state: State, now: number): Reply | undefined => {
      const endpoint = endpoints.get(state, endpointIdOf(call));
      if (endpoint === undefined || !takesByProtocol(endpoint)) return LEAVE;
      const taken = started(state, call, retryTake(state, endpoint, request, now), now);
      if (taken.kind === 'jobs') given.push(...taken.jobs);
      return answerOf(taken);
    };
    const first = await call.transact((state, now) => {
      const endpoint = endpointOf(state, call);
      refuseKilled(state, call);
      if (!canAttach(state, endpoint.id, request.workerId)) throw tooManyWorkers();
      const taken = started(state, call, takeJobs(state, endpoint, request, now), now);
      const reply = answerOf(taken);
      if (reply !== undefined) return { reply, isRemoved: taken.kind === 'leave' };
      return { wait: held.hold(state, call, { endpointId: endpoint.id, ...request, isTake: true, attempt }) };
    });
    if (first.reply !== undefined) {
      if (first.isRemoved) await pause(call);
      return first.reply;
    }
    const reply = await first.wait();
    // The worker never got these jobs.
    if (given.length > 0 && call.signal.aborted)
      await call.transact((state, now) => {
        takeBack(state, given, now);
      });
    return reply ?? NOTHING;
  };

  const stop = async (call: Call): Promise<Reply> => {
    const workerId = workerIdOf(call);
    const attempt = (state: State): Reply | undefined => stopReply(takeStops(state, endpointIdOf(call), workerId));
    const first = await call.transact((state) => {
      const endpoint = endpointOf(state, call);
      refuseKilled(state, call);
      const stops = takeStops(state, endpoint.id, workerId);
      const reply = stopReply(stops);
      if (reply !== undefined) return { reply, isRemoved: stops === 'leave' };
      return { wait: held.hold(state, call, { endpointId: endpoint.id, workerId, isTake: false, attempt }) };
    });
    if (first.reply === undefined) return (await first.wait()) ?? NOTHING;
    if (first.isRemoved) await pause(call);
    return first.reply;
  };

  const done = async (call: Call): Promise<Reply> => {
    const report = readReport(call);
    const dropped = await call.transact((state, now) => {
      const where = jobOnWorkerOf(state, call);
      if (report.kind === 'progress') {
        if (report.text !== undefined) recordProgress(state, where, report.text);
        return undefined;
      }
      const kind = runsJob(state, where)
        ? fault(state, 'done', call, 'POST', `job-done/${where.workerId}/${where.jobId}`)?.kind
        : undefined;
      if (kind === 'done-drop') return new DroppedConnection(false);
      recordResult(state, where, report, now);
      return kind === 'done-accept-drop' ? new DroppedConnection(true) : undefined;
    });
    if (dropped !== undefined) throw dropped;
    return OK;
  };

  const stream = async (call: Call): Promise<Reply> => {
    const text = readChunk(call);
    await call.transact((state) => {
      recordStreamed(state, jobOnWorkerOf(state, call), text);
    });
    return OK;
  };

  const ping = async (call: Call): Promise<Reply> => {
    const jobIds = new Set(call.query.getAll('job_id').flatMap((ids) => ids.split(',')));
    await call.transact((state, now) => {
      const endpoint = endpointOf(state, call);
      refuseKilled(state, call);
      recordPing(state, endpoint.id, workerIdOf(call), jobIds, now);
    });
    return OK;
  };

  const row = (id: string, request: string, run: Operation['run']): Operation => {
    const [method = '', path = ''] = request.split(' ');
    return unpublished(id, `${method} /worker/{endpointId}/${path}`, { service: 'worker', run });
  };
  return [
    row('workerTake', 'GET job-take/{workerId}', (call) => take(call, false)),
    row('workerTakeBatch', 'GET job-take-batch/{workerId}', (call) => take(call, true)),
    row('workerStop', 'GET job-stop/{workerId}', stop),
    row('workerDone', 'POST job-done/{workerId}/{jobId}', done),
    row('workerStream', 'POST job-stream/{workerId}/{jobId}', stream),
    row('workerPing', 'GET ping/{workerId}', ping),
  ];
}

const KIND_OF_FAULT: Readonly<Partial<Record<string, WorkerFault['kind']>>> = {
  'worker-crash': 'crash',
  'worker-oom': 'oom',
  'worker-hang': 'hang',
  'worker-silent': 'silent',
};

const endpointIdOf = (call: Call): string => call.params['endpointId'] ?? '';
const workerIdOf = (call: Call): string => readWorkerId(call);

function endpointOf(state: State, call: Call): EndpointRecord {
  const id = endpointIdOf(call);
  const endpoint = endpoints.get(state, id);
  if (endpoint === undefined || !takesByProtocol(endpoint))
    throw notFound(`endpoint ${id} has no workers that take its jobs themselves`);
  return endpoint;
}

/** The job and the worker of a report. The connection of a killed worker is dropped. */
function jobOnWorkerOf(state: State, call: Call): JobOnWorker {
  const endpoint = endpointOf(state, call);
  refuseKilled(state, call);
  return { endpointId: endpoint.id, workerId: workerIdOf(call), jobId: call.params['jobId'] ?? '' };
}

function refuseKilled(state: State, call: Call): void {
  if (isKilled(state, endpointIdOf(call), workerIdOf(call))) throw new DroppedConnection(false);
}

const tooManyWorkers = (): Problem => new Problem(429, 'Too Many Requests', 'this endpoint has too many workers');

function takeReply(take: Exclude<Take, { kind: 'none' }>, isBatch: boolean): Reply {
  if (take.kind === 'leave') return LEAVE;
  const documents = take.jobs.map(jobForWorker);
  return { status: 200, body: isBatch ? documents : (documents[0] ?? null) };
}

/** A job as it is sent to its worker, with the input as the client sent it. */
const jobForWorker = ({ id, input, webhook }: Job): Json => ({
  id,
  input: new Exact(input),
  ...(webhook !== undefined && { webhook }),
});

function stopReply(stops: ReturnType<typeof takeStops>): Reply | undefined {
  if (stops === 'leave') return NOTHING;
  return stops.length === 0 ? undefined : { status: 200, body: { jobsToStop: stops } };
}

/** Waits a moment; less when the caller disconnects. */
const pause = (call: Call): Promise<void> => call.sleep(REMOVED_PAUSE_MS).catch(() => undefined);

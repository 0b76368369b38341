import { Exact, type Json } from '../../../core/json.ts';
import type { FaultPoint } from '../../../core/fault-kinds.ts';
import { notFound, Problem } from '../../contract/problem.ts';
import { DroppedConnection } from '../../http/faults.ts';
import { type FaultRecord, faults, takeFaultAt } from '../../http/faults.ts';
import { type Call, type Operation, type RefusedCall, type Reply, unpublished } from '../../http/operation.ts';
import { type EndpointRecord, endpoints, takesByProtocol } from '../../model/endpoints.ts';
import type { State } from '../../state/state.ts';
import {
  canAttach,
  injectFault,
  isKilled,
  noteAboutJob,
  recordPing,
  retryTake,
  type Take,
  takeBack,
  takeJobs,
  takeStops,
} from '../protocol/takes.ts';
import { recordProgress, recordResult, recordStreamed, runsJob, type JobOnWorker } from '../protocol/results.ts';
import type { Job, WorkerFault } from '../state/records.ts';
import type { HeldRequests } from './held-requests.ts';
import { readChunk, readReport, readTake, readWorkerId } from './requests.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

interface FirstTry {
  readonly reply: Reply | undefined;
  readonly isRemoved: boolean;
}

export interface WorkerOperationsOptions {
  readonly held: HeldRequests;
  /** From 0 up to, but not including, 1. */
  readonly random: () => number;
  readonly log?: ((endpointId: string, line: string) => void) | undefined;
}

/** Milliseconds. Keeps a removed worker from sending requests without a pause. */
export const REMOVED_PAUSE_MS = 1000;

/** The answer to a removed worker: its library sends the request again, or ends when it was asked to end. */
const LEAVE: Reply = { status: 400, body: { error: 'this worker is to end: it gets no jobs' } };
const NOTHING: Reply = { status: 204 };
const OK: Reply = { status: 200, body: {} };

export function createWorkerOperations({ held, random, log }: WorkerOperationsOptions): readonly Operation[] {
  const fault = (
    state: State,
    point: FaultPoint,
    call: Call,
    method: 'GET' | 'POST',
    path: string,
  ): FaultRecord | undefined =>
    takeFaultAt(faults.of(state), [point], { method, path: `/worker/${endpointIdOf(call)}/${path}` }, random);

  const started = (state: State, call: Call, take: Take, now: EpochMs): Take => {
    const [first] = take.kind === 'jobs' ? take.jobs : [];
    const kind =
      first && KIND_OF_FAULT[fault(state, 'take', call, 'GET', `job-take/${readWorkerId(call)}`)?.kind ?? ''];
    if (first !== undefined && kind !== undefined) injectFault(state, first, kind, now);
    return take;
  };

  const answerOrHold = async (
    call: Call,
    isTake: boolean,
    first: (state: State, endpoint: EndpointRecord, now: EpochMs) => FirstTry,
    attempt: (state: State, now: EpochMs) => Reply | undefined,
  ): Promise<Reply> => {
    const tried = await call.transact((state, now) => {
      const endpoint = endpointOf(state, call);
      const { reply, isRemoved } = first(state, endpoint, now);
      if (reply !== undefined) return { reply, isRemoved };
      const request = { endpointId: endpoint.id, workerId: readWorkerId(call), isTake, attempt };
      return { wait: held.hold(state, call, request) };
    });
    if (tried.reply === undefined) return (await tried.wait()) ?? NOTHING;
    if (tried.isRemoved) await call.sleep(REMOVED_PAUSE_MS).catch(() => undefined);
    return tried.reply;
  };

  const take = async (call: Call, isBatch: boolean): Promise<Reply> => {
    const request = readTake(call, isBatch);
    /** The step of a try may run again: only the latest counts. */
    let given: readonly Job[] = [];
    let notes: readonly string[] = [];
    const replyTo = (taken: Take): Reply | undefined => {
      given = taken.kind === 'jobs' ? taken.jobs : [];
      return takeReply(taken, isBatch);
    };
    const reply = await answerOrHold(
      call,
      true,
      (state, endpoint, now) => {
        if (!canAttach(state, endpoint.id, request.workerId)) throw tooManyWorkers();
        const first = takeJobs(state, endpoint, request, now);
        const taken = started(state, call, first, now);
        notes = first.notes;
        return { reply: replyTo(taken), isRemoved: taken.kind === 'leave' };
      },
      (state, now) => {
        const endpoint = endpoints.get(state, endpointIdOf(call));
        if (endpoint === undefined || !takesByProtocol(endpoint)) return LEAVE;
        return replyTo(started(state, call, retryTake(state, endpoint, request, now), now));
      },
    );
    for (const line of notes) say(call, line);
    // The worker never got these jobs.
    if (reply.status === 200 && call.signal.aborted)
      await call.transact((state, now) => {
        takeBack(state, given, now);
      });
    return reply;
  };

  const stop = (call: Call): Promise<Reply> => {
    const stops = (state: State): ReturnType<typeof takeStops> =>
      takeStops(state, endpointIdOf(call), readWorkerId(call));
    return answerOrHold(
      call,
      false,
      (state) => {
        const taken = stops(state);
        return { reply: stopReply(taken), isRemoved: taken === 'leave' };
      },
      (state) => stopReply(stops(state)),
    );
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
      recordPing(state, endpointOf(state, call).id, readWorkerId(call), jobIds, now);
    });
    return OK;
  };

  const say = ({ params }: Pick<Call, 'params'>, line: string): void => {
    log?.(params['endpointId'] ?? '', `(worker ${params['workerId'] ?? ''}: ${line})`);
  };

  /** A job whose result is refused runs until its execution timeout, because the worker has nothing else to send. */
  const noteRefused = async ({ params, transact, problem }: RefusedCall): Promise<void> => {
    const { endpointId = '', workerId = '', jobId = '' } = params;
    const line = `the result of job ${jobId} was refused (${String(problem.status)}): ${problem.message}; it runs until its execution timeout unless another one comes`;
    const where = { endpointId, workerId, jobId };
    const isNew = await transact((state, now) => runsJob(state, where) && noteAboutJob(state, where, line, now));
    if (isNew) say({ params }, line);
  };

  const row = (id: string, request: string, run: Operation['run'], more: Partial<Operation> = {}): Operation => {
    const [method = '', path = ''] = request.split(' ');
    return { ...unpublished(id, `${method} /worker/{endpointId}/${path}`, { service: 'worker', run }), ...more };
  };
  return [
    row('workerTake', 'GET job-take/{workerId}', (call) => take(call, false)),
    row('workerTakeBatch', 'GET job-take-batch/{workerId}', (call) => take(call, true)),
    row('workerStop', 'GET job-stop/{workerId}', stop),
    row('workerDone', 'POST job-done/{workerId}/{jobId}', done, { onRefused: noteRefused }),
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

/** The connection of a killed worker is dropped. */
function endpointOf(state: State, call: Call): EndpointRecord {
  const id = endpointIdOf(call);
  const endpoint = endpoints.get(state, id);
  if (endpoint === undefined || !takesByProtocol(endpoint))
    throw notFound(`endpoint ${id} has no workers that take its jobs themselves`);
  if (isKilled(state, id, readWorkerId(call))) throw new DroppedConnection(false);
  return endpoint;
}

const jobOnWorkerOf = (state: State, call: Call): JobOnWorker => ({
  endpointId: endpointOf(state, call).id,
  workerId: readWorkerId(call),
  jobId: call.params['jobId'] ?? '',
});

const tooManyWorkers = (): Problem => new Problem(429, 'Too Many Requests', 'this endpoint has too many workers');

/** Undefined when the worker must wait for jobs. */
function takeReply(take: Take, isBatch: boolean): Reply | undefined {
  if (take.kind === 'none') return undefined;
  if (take.kind === 'leave') return LEAVE;
  const documents = take.jobs.map(jobForWorker);
  return { status: 200, body: isBatch ? documents : (documents[0] ?? null) };
}

/** The input is as the client sent it. */
const jobForWorker = ({ id, input, webhook }: Job): Json => ({
  id,
  input: new Exact(input),
  webhook,
});

function stopReply(stops: ReturnType<typeof takeStops>): Reply | undefined {
  if (stops === 'leave') return NOTHING;
  return stops.length === 0 ? undefined : { status: 200, body: { jobsToStop: stops } };
}

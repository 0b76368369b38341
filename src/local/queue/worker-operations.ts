import { memberSource, Exact, isObject, type Json } from '../../core/json.ts';
import type { EpochMs, Milliseconds } from '../../core/unit-types.ts';
import { badRequest, notFound, tooLarge, tooManyRequests } from '../contract/problem.ts';
import { DroppedConnection } from '../http/faults.ts';
import { type Call, type Operation, type Reply, unpublished } from '../http/operation.ts';
import { type EndpointRecord, endpoints, takesByProtocol } from '../model/endpoints.ts';
import { MAX_OUTPUT_BYTES, numberNotJson, outputTooLarge } from './job-output.ts';
import type { Job, WorkerFault } from './records.ts';
import {
  canAttach,
  injectFault,
  isKilled,
  type JobOnWorker,
  noteAboutJob,
  recordPing,
  recordProgress,
  recordResult,
  recordStreamed,
  type Result,
  retryTake,
  runsJob,
  type Take,
  takeBack,
  takeJobs,
  type TakeRequest,
  takeStops,
} from './worker-protocol.ts';
import type { State } from '../state/state.ts';

/** How long a request is held open when there is nothing to answer: less than the silence of a lost worker. */
export const HOLD_MS: Milliseconds = 20_000;

/** Answers a held request inside a step; undefined when there is still nothing to answer. */
type Attempt = (state: State, now: EpochMs) => Reply | undefined;

interface Held {
  readonly attempt: Attempt;
  readonly waiting: AbortController;
  reply?: Reply;
}

export class HeldRequests {
  /** Oldest first. */
  readonly #open = new Set<Held>();

  /** Call it at the end of every step, also of one that fails. */
  answer(state: State, now: EpochMs): void {
    for (const held of this.#open) {
      const reply = held.attempt(state, now);
      if (reply === undefined) continue;
      this.#open.delete(held);
      held.reply = reply;
      held.waiting.abort();
    }
  }

  /** Call it in a step, the returned function after it: undefined when time is over or on abort. */
  hold(call: Call, attempt: Attempt): () => Promise<Reply | undefined> {
    const held: Held = { attempt, waiting: new AbortController() };
    const end = (): void => {
      this.#open.delete(held);
      held.waiting.abort();
    };
    this.#open.add(held);
    call.signal.addEventListener('abort', end);
    if (call.signal.aborted) end();
    return async () => {
      await call.sleep(HOLD_MS, held.waiting.signal).catch(() => undefined);
      this.#open.delete(held);
      call.signal.removeEventListener('abort', end);
      return held.reply;
    };
  }
}

/** Keeps a removed worker from sending requests without a pause. */
export const REMOVED_PAUSE_MS: Milliseconds = 1000;
export const MAX_BATCH = 1000;
export const MAX_WORKER_ID_LENGTH = 128;

/** The answer to a removed worker: its library sends the request again, or ends when it was asked to end. */
const LEAVE: Reply = { status: 400, body: { error: 'this worker is to end: it gets no jobs' } };
const NOTHING: Reply = { status: 204 };
const NOTHING_MORE: Reply = { status: 204 };
const OK: Reply = { status: 200, body: {} };

const KIND_OF_FAULT: Readonly<Partial<Record<string, WorkerFault['kind']>>> = {
  'worker-crash': 'crash',
  'worker-oom': 'oom',
  'worker-hang': 'hang',
  'worker-silent': 'silent',
};

export function createWorkerOperations(
  held: HeldRequests,
  log?: (endpointId: string, line: string) => void,
): readonly Operation[] {
  const say = ({ params }: Call, line: string): void => {
    log?.(params['endpointId'] ?? '', `(worker ${params['workerId'] ?? ''}: ${line})`);
  };

  const answerOrHold = async (
    call: Call,
    first: (state: State, now: EpochMs) => Reply | undefined,
    again: (state: State, now: EpochMs) => Reply | undefined,
  ): Promise<Reply> => {
    const tried = await call.transact((state, now) => {
      const reply = first(state, now);
      return reply === undefined ? { wait: held.hold(call, again) } : { reply };
    });
    if (tried.reply === undefined) return (await tried.wait()) ?? NOTHING;
    if (tried.reply === LEAVE || tried.reply === NOTHING_MORE)
      await call.sleep(REMOVED_PAUSE_MS).catch(() => undefined);
    return tried.reply;
  };

  const take = async (call: Call, isBatch: boolean): Promise<Reply> => {
    const request = readTake(call, isBatch);
    let given: readonly Job[] = [];
    let notes: readonly string[] = [];
    const replyTo = (state: State, next: Take, now: EpochMs): Reply | undefined => {
      if (next.kind !== 'jobs') return next.kind === 'leave' ? LEAVE : undefined;
      given = next.jobs;
      const [job] = given;
      const kind = KIND_OF_FAULT[call.takeFault(state, ['take'])?.kind ?? ''];
      if (job !== undefined && kind !== undefined) injectFault(state, job, kind, now);
      const documents = given.map(jobForWorker);
      return { status: 200, body: isBatch ? documents : (documents[0] ?? null) };
    };
    const reply = await answerOrHold(
      call,
      (state, now) => {
        const endpoint = endpointOf(state, call);
        if (!canAttach(state, endpoint.id, request.workerId))
          throw tooManyRequests('this endpoint has too many workers', 5);
        const first = takeJobs(state, endpoint, request, now);
        ({ notes } = first);
        return replyTo(state, first, now);
      },
      (state, now) => {
        const endpoint = endpoints.get(state, call.params['endpointId'] ?? '');
        if (endpoint === undefined || !takesByProtocol(endpoint)) return LEAVE;
        return replyTo(state, retryTake(state, endpoint, request, now), now);
      },
    );
    for (const line of notes) say(call, line);
    // The worker never got these jobs.
    if (call.signal.aborted)
      await call.transact((state, now) => {
        takeBack(state, given, now);
      });
    return reply;
  };

  const stop = (call: Call): Promise<Reply> => {
    const attempt = (state: State): Reply | undefined => {
      const stops = takeStops(state, call.params['endpointId'] ?? '', readWorkerId(call));
      if (stops === 'leave') return NOTHING_MORE;
      return stops.length === 0 ? undefined : { status: 200, body: { jobsToStop: stops } };
    };
    const first = (state: State): Reply | undefined => {
      endpointOf(state, call);
      return attempt(state);
    };
    return answerOrHold(call, first, attempt);
  };

  const done = async (call: Call): Promise<Reply> => {
    const report = readReport(call);
    const dropped = await call.transact((state, now) => {
      const where = jobOnWorkerOf(state, call);
      if (report.kind === 'progress') {
        if (report.text !== undefined) recordProgress(state, where, report.text);
        return undefined;
      }
      const kind = runsJob(state, where) ? call.takeFault(state, ['done'])?.kind : undefined;
      if (kind === 'done-drop') return new DroppedConnection();
      recordResult(state, where, report, now);
      return kind === 'done-accept-drop' ? new DroppedConnection() : undefined;
    });
    if (dropped !== undefined) throw dropped;
    return OK;
  };

  const stream = async (call: Call): Promise<Reply> => {
    if (!('output' in readBody(call))) throw badRequest('the body needs the member output');
    const text = memberSource(call.bodyText, 'output') ?? 'null';
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

  /** A job whose result is refused runs until its execution timeout, because the worker has nothing else to send. */
  const noteRefused: Operation['onRefused'] = async (call, { status, message }) => {
    const { endpointId = '', workerId = '', jobId = '' } = call.params;
    const line = `the result of job ${jobId} was refused (${String(status)}): ${message}; it runs until its execution timeout unless another one comes`;
    if (await call.transact((state, now) => noteAboutJob(state, { endpointId, workerId, jobId }, line, now)))
      say(call, line);
  };

  const row = (id: string, request: string, run: Operation['run']): Operation => {
    const [method = '', path = ''] = request.split(' ');
    return unpublished(id, `${method} /worker/{endpointId}/${path}`, { service: 'worker', run });
  };
  return [
    row('workerTake', 'GET job-take/{workerId}', (call) => take(call, false)),
    row('workerTakeBatch', 'GET job-take-batch/{workerId}', (call) => take(call, true)),
    row('workerStop', 'GET job-stop/{workerId}', stop),
    { ...row('workerDone', 'POST job-done/{workerId}/{jobId}', done), onRefused: noteRefused },
    row('workerStream', 'POST job-stream/{workerId}/{jobId}', stream),
    row('workerPing', 'GET ping/{workerId}', ping),
  ];
}

/** The connection of a killed worker is dropped. */
function endpointOf(state: State, call: Call): EndpointRecord {
  const id = call.params['endpointId'] ?? '';
  const endpoint = endpoints.get(state, id);
  if (endpoint === undefined || !takesByProtocol(endpoint))
    throw notFound(`endpoint ${id} has no workers that take its jobs themselves`);
  if (isKilled(state, id, readWorkerId(call))) throw new DroppedConnection();
  return endpoint;
}

const jobOnWorkerOf = (state: State, call: Call): JobOnWorker => ({
  endpointId: endpointOf(state, call).id,
  workerId: readWorkerId(call),
  jobId: call.params['jobId'] ?? '',
});

/** The input is as the client sent it. */
const jobForWorker = ({ id, input, webhook }: Job): Json => ({ id, input: new Exact(input), webhook });

function readWorkerId({ params }: Call): string {
  const id = params['workerId'] ?? '';
  if (id.length > MAX_WORKER_ID_LENGTH)
    throw badRequest(`the worker id has more than ${String(MAX_WORKER_ID_LENGTH)} characters`);
  return id;
}

function readTake(call: Call, isBatch: boolean): TakeRequest {
  const size = call.query.get('batch_size');
  if (isBatch && (size === null || !/^[1-9]\d{0,8}$/.test(size)))
    throw badRequest('batch_size must be a whole number from 1');
  return {
    workerId: readWorkerId(call),
    count: isBatch ? Math.min(MAX_BATCH, Number(size)) : 1,
    isWorking: call.query.get('job_in_progress') !== '0',
  };
}

type Report = { readonly kind: 'progress'; readonly text: string | undefined } | (Result & { readonly kind: 'result' });

/** Ignores the content type: the library sends a form's. Problem 400, or 413 for too large an output. */
function readReport(call: Call): Report {
  const { bodyText } = call;
  const body = readBody(call);
  const output = memberSource(bodyText, 'output');
  const bytes = output === undefined ? 0 : Buffer.byteLength(output);
  if (bytes > MAX_OUTPUT_BYTES) throw tooLarge(outputTooLarge(bytes));
  if (body['status'] === 'IN_PROGRESS') return { kind: 'progress', text: output };
  const error = body['error'] ?? undefined;
  return {
    kind: 'result',
    outcome:
      error === undefined
        ? { kind: 'output', text: output }
        : { kind: 'error', error: typeof error === 'string' ? error : (memberSource(bodyText, 'error') ?? '') },
    isStream: call.query.get('isStream') === 'true',
    isLeaving: body['stopPod'] === true,
  };
}

function readBody({ bodyText }: Call): Readonly<Record<string, unknown>> {
  let body: unknown;
  try {
    body = JSON.parse(bodyText);
  } catch {
    const wrong = numberNotJson(bodyText);
    throw badRequest(`the body is not JSON${wrong === undefined ? '' : `: it has ${wrong}`}`);
  }
  if (!isObject(body)) throw badRequest('the body must be a JSON object');
  return body;
}

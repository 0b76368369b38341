import { Exact, type Json } from '../../../core/json.ts';
import { unpublished } from '../../contract/operation.ts';
import type { EndpointRecord } from '../../model/endpoints/record.ts';
import type { Call, Operation, Reply } from '../../frame/operation.ts';
import { Problem } from '../../contract/problem.ts';
import type { State } from '../../state/state.ts';
import { awaitedJob, beginWaiting, endWaiting } from '../engine/waiters.ts';
import { healthDocument, jobBrief, jobDocument } from './documents.ts';
import { cancel, fetchChunks, purge, retry, setTimeToLive, submit } from '../engine/engine.ts';
import { limitedGate, openGate } from './request-limits.ts';
import { isTerminal } from '../engine/transitions.ts';
import type { Job, JobStatus } from '../state/records.ts';
import { readMilliseconds, readSubmission } from './submission.ts';
import { waitFor } from './poll-state.ts';

const DEFAULT_WAIT_MS = 90_000;
const SHORTEST_RETENTION_MS = 60_000;
/** How long a poll of `stream` waits for a chunk before it answers that there is none. */
const STREAM_POLL_MS = 1000;

type Handle = (call: Call) => Promise<Reply>;

/**
 * What `stream` answers: the chunks alone (specification 4.5), or `{"status", "stream": [...]}`, which client libraries
 * of the public service expect.
 */
export type StreamShape = 'array' | 'object';

export interface QueueOptions {
  readonly queueLimits: boolean;
  /** The array where absent. */
  readonly streamShape?: StreamShape | undefined;
}

/**
 * The queue's rows of the table (specification 4.5). With `queueLimits` the known limits per endpoint hold and a request
 * past them answers 429 (contract rules, Queue API).
 */
export function createQueueOperations(options: QueueOptions): readonly Operation[] {
  const gate = options.queueLimits ? limitedGate() : openGate;
  const row = (id: string, method: 'GET' | 'POST', path: string, handle: Handle): Operation =>
    unpublished(id, `${method} /v2/{endpointId}/${path}`, {
      service: 'queue',
      run: (call) => gate.through(call, path.split('/')[0] ?? path, () => handle(call)),
    });
  return [
    row('runJob', 'POST', 'run', runJob),
    row('runJobSync', 'POST', 'runsync', runJobSync),
    row('getJobStatus', 'GET', 'status/{jobId}', getStatus),
    row('getJobStatusSync', 'GET', 'status-sync/{jobId}', getStatusSync),
    row('streamJob', 'GET', 'stream/{jobId}', (call) => streamJob(call, options.streamShape ?? 'array')),
    row('cancelJob', 'POST', 'cancel/{jobId}', cancelJob),
    row('retryJob', 'POST', 'retry/{jobId}', retryJob),
    row('purgeQueue', 'POST', 'purge-queue', purgeQueue),
    row('getHealth', 'GET', 'health', getHealth),
  ];
}

async function runJob(call: Call): Promise<Reply> {
  const submission = readSubmission(call, 'run');
  return step(call, (state, now) => jobBrief(submit(state, endpointOf(state, call), submission, now)));
}

/**
 * Answers with the whole result, or, where the wait ends first, with the job still IN_QUEUE or IN_PROGRESS. The result
 * is kept for a minute; a wait above the default keeps it as long as that wait, five minutes at most.
 */
async function runJobSync(call: Call): Promise<Reply> {
  const waitMs = readMilliseconds(call.query, 'wait', 1000, 300_000) ?? DEFAULT_WAIT_MS;
  const submission = readSubmission(call, 'runsync', waitMs > DEFAULT_WAIT_MS ? waitMs : SHORTEST_RETENTION_MS);
  return waitForEnd(call, waitMs, (state, now) => submit(state, endpointOf(state, call), submission, now));
}

/** What real clients of the queue use beside the specification: answers as `status` does, once the job has ended. */
async function getStatusSync(call: Call): Promise<Reply> {
  const waitMs = readMilliseconds(call.query, 'wait', 1000, 300_000) ?? DEFAULT_WAIT_MS;
  return waitForEnd(call, waitMs, (state) => jobOf(state, call));
}

/**
 * Answers with the job as it is when it has ended, or as it is when the wait has. Where the clock jumps over its end and
 * its retention as well, with the result it had.
 */
async function waitForEnd(call: Call, waitMs: number, begin: (state: State, now: number) => Job): Promise<Reply> {
  const id = await call.transact((state, now) => {
    const job = begin(state, now);
    beginWaiting(state, job, now);
    return job.id;
  });
  const answer = (state: State, now: number): Json => {
    const document = jobDocument(awaitedJob(state, id) ?? missing(id), now);
    endWaiting(state, id);
    return document;
  };
  try {
    const body = await waitFor(
      call,
      waitMs,
      (state, now) => (isTerminal((awaitedJob(state, id) ?? missing(id)).status) ? answer(state, now) : undefined),
      answer,
    );
    return ok(body ?? null);
  } catch (error) {
    await call.transact((state) => {
      endWaiting(state, id);
    });
    throw error;
  }
}

/** `ttl` sets how long from now the job lives at most; what the operation's own retention ends earlier stays so. */
async function getStatus(call: Call): Promise<Reply> {
  const ttlMs = readMilliseconds(call.query, 'ttl', 1, 604_800_000);
  return step(call, (state, now) => {
    const job = jobOf(state, call);
    return jobDocument(ttlMs === undefined ? job : setTimeToLive(state, job, now + ttlMs), now);
  });
}

/**
 * The chunks since the last call, each given once. A poll waits a moment for the first, so that a caller who polls
 * again at once does not spin; of a job that has ended it answers at once.
 */
async function streamJob(call: Call, shape: StreamShape): Promise<Reply> {
  const found = await waitFor<{ readonly status: JobStatus; readonly chunks: readonly string[] }>(
    call,
    STREAM_POLL_MS,
    (state, now) => {
      const job = jobOf(state, call);
      const chunks = fetchChunks(state, job, now);
      return chunks.length > 0 || isTerminal(job.status) ? { status: job.status, chunks } : undefined;
    },
    (state) => ({ status: jobOf(state, call).status, chunks: [] }),
  );
  const stream = (found?.chunks ?? []).map((text) => new Exact(text));
  return ok(shape === 'array' ? stream : { status: found?.status ?? null, stream });
}

/** Of a job that has already ended, answers how: a cancel that comes too late is no error. */
const cancelJob: Handle = (call) => step(call, (state, now) => jobBrief(cancel(state, jobOf(state, call), now)));

const retryJob: Handle = (call) =>
  step(call, (state, now) => {
    const job = jobOf(state, call);
    const retried = retry(state, job, now);
    if (retried !== undefined) return { id: retried.id, status: 'IN_QUEUE' };
    throw new Problem(409, 'Conflict', `job ${job.id} is ${job.status}: only FAILED and TIMED_OUT jobs can be retried`);
  });

const purgeQueue: Handle = (call) =>
  step(call, (state, now) => ({ removed: purge(state, endpointOf(state, call).id, now), status: 'completed' }));

const getHealth: Handle = (call) => step(call, (state) => healthDocument(state, endpointOf(state, call).id));

/** One step whose result is the answer's body. */
const step = async (call: Call, work: (state: State, now: number) => Json): Promise<Reply> =>
  ok(await call.transact(work));

const ok = (body: Json): Reply => ({ status: 200, body });

function endpointOf(state: State, call: Call): EndpointRecord {
  const id = call.params.endpointId ?? '';
  const endpoint = state.endpoints[id];
  if (endpoint === undefined) throw new Problem(404, 'Not Found', `endpoint ${id} not found`);
  if (endpoint.type !== 'QUEUE')
    throw new Problem(400, 'Bad Request', `endpoint ${id} balances load and has no queue: call its own address`);
  return endpoint;
}

function jobOf(state: State, call: Call): Job {
  const endpoint = endpointOf(state, call);
  const id = call.params.jobId ?? '';
  const job = state.queue.jobs[id];
  return job?.endpointId === endpoint.id ? job : missing(id);
}

function missing(id: string): never {
  throw new Problem(404, 'Not Found', `job ${id} not found: unknown on this endpoint, or expired`);
}

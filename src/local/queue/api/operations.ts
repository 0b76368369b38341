import { MINUTE_MS } from '../../../core/durations.ts';
import { Exact, type Json } from '../../../core/json.ts';
import type { EndpointRecord } from '../../model/endpoints/record.ts';
import { isTooNew, reply, unpublished, type Call, type Operation, type Reply } from '../../http/call/operation.ts';
import { badRequest, conflict, notFound } from '../../contract/problem.ts';
import type { State } from '../../state/state.ts';
import { awaitedJob, beginWaiting, endWaiting } from '../jobs/waiters.ts';
import { healthDocument, jobBrief, jobDocument } from './documents.ts';
import { cancel, fetchChunks, purge, retry, setTimeToLive, submit } from '../engine/engine.ts';
import { knownLimits, noLimits } from './request-limits.ts';
import { isTerminal } from '../jobs/transitions.ts';
import { queuesOf, type Job, type JobStatus } from '../state/records.ts';
import { readMilliseconds, readSubmission } from './submission.ts';
import { waitForResult } from './wait-for-result.ts';
import { endpoints } from '../../model/endpoints/seed.ts';
import type { EpochMs } from '../../../core/unit-types.ts';

const DEFAULT_WAIT_MS = 90_000;
const SHORTEST_RETENTION_MS = MINUTE_MS;
/** How long `stream` waits for a chunk before it answers without one, unless `wait` says it (additions 12). */
const STREAM_WAIT_MS = 10_000;

type Handler = Operation['run'];

/**
 * The format of the answers of `stream`: a list of chunks (specification 4.5), or `{"status", "stream": [...]}`, which client
 * libraries of the public service expect.
 */
export type StreamShape = 'array' | 'object';

export interface QueueOptions {
  readonly queueLimits: boolean;
  /** Default `array`. */
  readonly streamShape?: StreamShape | undefined;
}

/**
 * The operations of the queue API (specification 4.5). With `queueLimits` the known limits apply: a request above them is
 * answered with 429 (contract rules, Queue API).
 */
export function createQueueOperations(options: QueueOptions): readonly Operation[] {
  const limiter = options.queueLimits ? knownLimits() : noLimits;
  const row = (id: string, method: 'GET' | 'POST', path: string, handler: Handler): Operation =>
    unpublished(id, `${method} /v2/{endpointId}/${path}`, {
      service: 'queue',
      run: (call) => limiter.run(call, path.split('/')[0] ?? path, async () => handler(call)),
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
  return reply(200, (state, _call, now) => jobBrief(submit(state, endpointOf(state, call, now), submission, now)))(
    call,
  );
}

/**
 * Answers with the result, or at the timeout with the job IN_QUEUE or IN_PROGRESS. The result is kept for a minute, or for
 * the length of `wait` when it is above the default, at most five minutes.
 */
async function runJobSync(call: Call): Promise<Reply> {
  const waitMs = readMilliseconds(call.query, 'wait', 1000, 300_000) ?? DEFAULT_WAIT_MS;
  const submission = readSubmission(call, 'runsync', waitMs > DEFAULT_WAIT_MS ? waitMs : SHORTEST_RETENTION_MS);
  return waitForEnd(call, waitMs, (state, now) => submit(state, endpointOf(state, call, now), submission, now));
}

/** Not in the specification, but used by clients of the public service: answers as `status`, once the job has ended. */
async function getStatusSync(call: Call): Promise<Reply> {
  const waitMs = readMilliseconds(call.query, 'wait', 1000, 300_000) ?? DEFAULT_WAIT_MS;
  return waitForEnd(call, waitMs, (state, now) => jobOf(state, call, now));
}

/**
 * Answers with the job when it has ended, or at the timeout. When the clock is advanced past its end and its retention, it
 * answers with the result that the job had.
 */
async function waitForEnd(call: Call, waitMs: number, begin: (state: State, now: EpochMs) => Job): Promise<Reply> {
  const id = await call.transact((state, now) => {
    const job = begin(state, now);
    beginWaiting(state, job, now);
    return job.id;
  });
  const answer = (state: State, now: EpochMs): Json => {
    const document = jobDocument(awaitedJob(state, id) ?? missing(id), now);
    endWaiting(state, id);
    return document;
  };
  try {
    const body = await waitForResult(
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

/** `ttl` sets the job's time to live from now; the retention of its result may end earlier. */
async function getStatus(call: Call): Promise<Reply> {
  const ttlMs = readMilliseconds(call.query, 'ttl', 1, 604_800_000);
  return reply(200, (state, _call, now) => {
    const job = jobOf(state, call, now);
    return jobDocument(ttlMs === undefined ? job : setTimeToLive(state, job, now + ttlMs), now);
  })(call);
}

/**
 * Answers with the chunks since the last call. It waits a moment for the first one, so that a caller that polls without a
 * pause does not cause load; for a job that has ended it answers immediately.
 */
async function streamJob(call: Call, shape: StreamShape): Promise<Reply> {
  const waitMs = readMilliseconds(call.query, 'wait', 0, 300_000) ?? STREAM_WAIT_MS;
  const found = await waitForResult<{ readonly status: JobStatus; readonly chunks: readonly string[] }>(
    call,
    waitMs,
    (state, now) => {
      const job = jobOf(state, call, now);
      const chunks = fetchChunks(state, job, now);
      return chunks.length > 0 || isTerminal(job.status) ? { status: job.status, chunks } : undefined;
    },
    (state, now) => ({ status: jobOf(state, call, now).status, chunks: [] }),
  );
  const stream = (found?.chunks ?? []).map((text) => new Exact(text));
  return ok(shape === 'array' ? stream : { status: found?.status ?? null, stream });
}

/** For a job that has already ended it answers with its status: a late cancel is not an error. */
const cancelJob = reply(200, (state, call, now) => jobBrief(cancel(state, jobOf(state, call, now), now)));

const retryJob = reply(200, (state, call, now) => {
  const job = jobOf(state, call, now);
  const retried = retry(state, job, now);
  if (retried !== undefined) return { id: retried.id, status: 'IN_QUEUE' };
  throw conflict(`job ${job.id} is ${job.status}: only FAILED and TIMED_OUT jobs can be retried`);
});

const purgeQueue = reply(200, (state, call, now) => ({
  removed: purge(state, endpointOf(state, call, now).id, now),
  status: 'completed',
}));

const getHealth = reply(200, (state, call, now) => healthDocument(state, endpointOf(state, call, now).id));

const ok = (body: Json): Reply => ({ status: 200, body });

function endpointOf(state: State, call: Call, now: EpochMs): EndpointRecord {
  const id = call.params.endpointId ?? '';
  const endpoint = endpoints.get(state, id);
  if (endpoint === undefined || isTooNew(endpoint.createdAt, call, now)) throw notFound(`endpoint ${id} not found`);
  if (endpoint.type !== 'QUEUE')
    throw badRequest(`endpoint ${id} balances load and has no queue: call its own address`);
  return endpoint;
}

function jobOf(state: State, call: Call, now: EpochMs): Job {
  const endpoint = endpointOf(state, call, now);
  const id = call.params.jobId ?? '';
  const job = queuesOf(state).jobs[id];
  if (job?.endpointId !== endpoint.id || isTooNew(job.submittedAt, call, now)) return missing(id);
  return job;
}

function missing(id: string): never {
  throw notFound(`job ${id} not found: unknown on this endpoint, or expired`);
}

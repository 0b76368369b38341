import { Exact, type Json } from '../../../core/json.ts';
import { type EpochMs, type Milliseconds, MINUTE_MS } from '../../../core/unit-types.ts';
import { badRequest, conflict, notFound } from '../../contract/problem.ts';
import { type Call, isTooNew, type Operation, reply, type Reply, unpublished } from '../../http/operation.ts';
import { type EndpointRecord, endpoints } from '../../model/endpoints.ts';
import { healthDocument, jobBrief, jobDocument } from './documents.ts';
import { knownLimits, noLimits, readMilliseconds, readSubmission } from './submission.ts';
import { cancel, fetchChunks, nextQueueEvent, purge, retry, setTimeToLive, submit } from '../engine.ts';
import { awaitedJob, beginWaiting, endWaiting, isTerminal } from '../jobs/job-status-changes.ts';
import { type Job, type JobStatus, queuesOf } from '../state/records.ts';
import type { State } from '../../state/state.ts';

/** Nothing announces a cancel by another caller, or the end of a handler module. */
const POLL_INTERVAL_MS = 50;

type ReadResult<T> = (state: State, now: EpochMs) => T | undefined;

/** After a disconnect it only calls `readAtTimeout`; in a sleep it rejects with the signal's reason. */
async function waitForResult<T>(
  call: Call,
  timeoutMs: Milliseconds,
  read: ReadResult<T>,
  readAtTimeout: ReadResult<T>,
): Promise<T | undefined> {
  let deadline: number | undefined;
  for (;;) {
    const { result, sleepMs } = await call.transact((state, now) => {
      deadline ??= now + timeoutMs;
      const { aborted } = call.signal;
      const timedOut = now >= deadline || aborted;
      const found = (aborted ? undefined : read(state, now)) ?? (timedOut ? readAtTimeout(state, now) : undefined);
      const next = Math.min(deadline, nextQueueEvent(state) ?? deadline);
      const done = timedOut || found !== undefined;
      return { result: found, sleepMs: done ? 0 : Math.min(POLL_INTERVAL_MS, Math.max(1, next - now)) };
    });
    if (sleepMs === 0) return result;
    await call.sleep(sleepMs);
  }
}

const DEFAULT_WAIT_MS = 90_000;
const SHORTEST_RETENTION_MS = MINUTE_MS;
/** How long `stream` waits for a chunk before it answers without one, unless `wait` says it (additions 12). */
const STREAM_WAIT_MS = 10_000;

type Handler = Operation['run'];

/** `array` is specification 4.5; client libraries of the public service expect `object`. */
export type StreamShape = 'array' | 'object';

export interface QueueOptions {
  readonly queueLimits: boolean;
  /** Default `array`. */
  readonly streamShape?: StreamShape | undefined;
}

/** With `queueLimits`, requests above the known limits get 429 (contract rules, Queue API). */
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

/** At the timeout the unfinished job. The result is kept a minute, or a longer `wait`, up to five. */
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

/** If the clock is advanced past its end and its retention, the answer is the result it had. */
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

/** Waits a moment for the first chunk, so that a caller polling without a pause causes no load. */
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

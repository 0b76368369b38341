import { Exact, type Json } from '../../core/json.ts';
import { type EpochMs, type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { badRequest, conflict, notFound, tooManyRequests } from '../contract/problem.ts';
import { type Call, isTooNew, type Operation, reply, type Reply, unpublished } from '../http/operation.ts';
import { type EndpointRecord, endpoints } from '../model/endpoints.ts';
import { healthDocument, jobBrief, jobDocument, readMilliseconds, readSubmission } from './documents.ts';
import { cancel, fetchChunks, purge, retry, setTimeToLive, submit } from './engine.ts';
import { isTerminal } from './job-changes.ts';
import { type Job, queueOf, queuesOf, workersIn } from './records.ts';
import type { State } from '../state/state.ts';

const WINDOW_MS: Milliseconds = 10_000;

/** For one endpoint and key, requests in ten seconds and at once (contract rules, Queue API). Others have no limit. */
const LIMITS: Readonly<Record<string, readonly [inWindow: number, atOnce: number]>> = {
  run: [1000, 200],
  runsync: [2000, 400],
  status: [2000, 400],
  stream: [2000, 400],
  cancel: [100, 20],
  'purge-queue': [2, Infinity],
};

type LimitRequests = <T>(call: Call, operation: string, work: () => Promise<T>) => Promise<T>;

/** Counted in this process: the processes of `--local` are too short to reach a limit. */
function knownLimits(): LimitRequests {
  /** From the start of the present window. */
  const usages = new Map<string, { active: number; from: EpochMs; count: number }>();
  return async (call, operation, work) => {
    const limit = LIMITS[operation];
    const { endpointId = '' } = call.params;
    if (limit === undefined) return work();
    const usage = await call.transact((state, now) => {
      const endpoint = endpoints.get(state, endpointId);
      // The operation answers 404. Counting would keep every name that is requested.
      if (endpoint === undefined) return undefined;
      const { scaling } = endpoint;
      // Workers times requests per worker. A limit is never lower than this.
      const capacity =
        workersIn(queueOf(state, endpointId)).length * (scaling.type === 'REQUEST_COUNT' ? scaling.requestCount : 1);
      const [inWindow, atOnce] = limit.map((each) => Math.max(each, capacity)) as [number, number];
      const name = `${call.keyId} ${endpointId} ${operation}`;
      const known = usages.get(name) ?? { active: 0, from: now, count: 0 };
      usages.set(name, known);
      if (now >= known.from + WINDOW_MS) Object.assign(known, { from: now, count: 0 });
      if (known.active >= atOnce) throw tooManyRequests(`${operation}: too many requests at once`, 1);
      const seconds = Math.max(1, Math.ceil((known.from + WINDOW_MS - now) / 1000));
      if (known.count >= inWindow)
        throw tooManyRequests(`${operation}: more than ${String(inWindow)} requests in 10 seconds`, seconds);
      known.active += 1;
      known.count += 1;
      return known;
    });
    try {
      return await work();
    } finally {
      if (usage !== undefined) usage.active -= 1;
    }
  };
}

/** `array` is specification 4.5; client libraries of the public service expect `object`. */
export type StreamShape = 'array' | 'object';

export interface QueueOptions {
  readonly queueLimits: boolean;
  readonly streamShape?: StreamShape | undefined;
}

/** With `queueLimits`, requests above the known limits get 429 (contract rules, Queue API). */
export function createQueueOperations({ queueLimits, streamShape }: QueueOptions): readonly Operation[] {
  const limited: LimitRequests = queueLimits ? knownLimits() : (_call, _operation, work) => work();
  const row = (id: string, request: string, handler: Operation['run']): Operation => {
    const [method = '', path = ''] = request.split(' ');
    return unpublished(id, `${method} /v2/{endpointId}/${path}`, {
      service: 'queue',
      run: (call) => limited(call, path.split('/')[0] ?? path, async () => handler(call)),
    });
  };
  return [
    row('runJob', 'POST run', runJob),
    row('runJobSync', 'POST runsync', runJobSync),
    row('getJobStatus', 'GET status/{jobId}', getStatus),
    row('getJobStatusSync', 'GET status-sync/{jobId}', getStatusSync),
    row('streamJob', 'GET stream/{jobId}', (call) => streamJob(call, streamShape ?? 'array')),
    row('cancelJob', 'POST cancel/{jobId}', cancelJob),
    row('retryJob', 'POST retry/{jobId}', retryJob),
    row('purgeQueue', 'POST purge-queue', purgeQueue),
    row('getHealth', 'GET health', getHealth),
  ];
}

/** Nothing announces the end of a job. */
const POLL_INTERVAL_MS: Milliseconds = 50;

/** Looks until it is over, and for the last time at the timeout or after a disconnect. */
async function waitFor<T>(
  call: Call,
  timeoutMs: Milliseconds,
  look: (state: State, now: EpochMs) => { readonly isOver: boolean; readonly found: T },
): Promise<T> {
  let deadline: EpochMs | undefined;
  for (;;) {
    const { isOver, found, leftMs } = await call.transact((state, now) => {
      deadline ??= now + timeoutMs;
      const leftMs = call.signal.aborted ? 0 : deadline - now;
      return { ...look(state, now), leftMs };
    });
    if (isOver || leftMs <= 0) return found;
    await call.sleep(Math.min(POLL_INTERVAL_MS, leftMs));
  }
}

const DEFAULT_WAIT_MS: Milliseconds = 90_000;
const SHORTEST_RETENTION_MS: Milliseconds = MINUTE_MS;
/** How long `stream` waits for a chunk before it answers without one, unless `wait` says it (additions 12). */
const STREAM_WAIT_MS: Milliseconds = 10_000;

const runJob = (call: Call): Promise<Reply> | Reply => {
  const submission = readSubmission(call, 'run');
  return reply(200, (state, _call, now) => jobBrief(submit(state, endpointOf(state, call, now), submission, now)))(
    call,
  );
};

/** At the timeout the unfinished job. The result is kept a minute, or a longer `wait`, up to five. */
async function runJobSync(call: Call): Promise<Reply> {
  const waitMs = readWait(call);
  const submission = readSubmission(call, 'runsync', waitMs > DEFAULT_WAIT_MS ? waitMs : SHORTEST_RETENTION_MS);
  const { id } = await call.transact((state, now) => submit(state, endpointOf(state, call, now), submission, now));
  return waitForEnd(call, id, waitMs);
}

/** Not in the specification, but used by clients of the public service: answers as `status`, once the job has ended. */
async function getStatusSync(call: Call): Promise<Reply> {
  const waitMs = readWait(call);
  const { id } = await call.transact((state, now) => jobOf(state, call, now));
  return waitForEnd(call, id, waitMs);
}

const readWait = ({ query }: Call): Milliseconds => readMilliseconds(query, 'wait', 1000, 300_000) ?? DEFAULT_WAIT_MS;

/** Also of a job whose endpoint is deleted meanwhile: it was cancelled. */
const waitForEnd = async (call: Call, id: string, waitMs: Milliseconds): Promise<Reply> =>
  ok(
    await waitFor(call, waitMs, (state, now) => {
      const job = queuesOf(state).jobs[id] ?? missing(id);
      return { isOver: isTerminal(job.status), found: jobDocument(job, now) };
    }),
  );

/** `ttl` sets the job's time to live from now; the retention of its result may end earlier. */
const getStatus = (call: Call): Promise<Reply> | Reply => {
  const ttlMs = readMilliseconds(call.query, 'ttl', 1, 604_800_000);
  return reply(200, (state, _call, now) => {
    const job = jobOf(state, call, now);
    return jobDocument(ttlMs === undefined ? job : setTimeToLive(state, job, now + ttlMs), now);
  })(call);
};

/** Waits a moment for the first chunk, so that a caller polling without a pause causes no load. */
async function streamJob(call: Call, shape: StreamShape): Promise<Reply> {
  const waitMs = readMilliseconds(call.query, 'wait', 0, 300_000) ?? STREAM_WAIT_MS;
  const { status, chunks } = await waitFor(call, waitMs, (state, now) => {
    const job = jobOf(state, call, now);
    // A caller that has disconnected leaves the chunks to its next request.
    const chunks = call.signal.aborted ? [] : fetchChunks(state, job, now);
    return { isOver: chunks.length > 0 || isTerminal(job.status), found: { status: job.status, chunks } };
  });
  const stream = chunks.map((text) => new Exact(text));
  return ok(shape === 'array' ? stream : { status, stream });
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
  const id = call.params['endpointId'] ?? '';
  const endpoint = endpoints.get(state, id);
  if (endpoint === undefined || isTooNew(endpoint.createdAt, call, now)) throw notFound(`endpoint ${id} not found`);
  if (endpoint.type !== 'QUEUE')
    throw badRequest(`endpoint ${id} balances load and has no queue: call its own address`);
  return endpoint;
}

function jobOf(state: State, call: Call, now: EpochMs): Job {
  const endpoint = endpointOf(state, call, now);
  const id = call.params['jobId'] ?? '';
  const job = queuesOf(state).jobs[id];
  if (job?.endpointId !== endpoint.id || isTooNew(job.submittedAt, call, now)) return missing(id);
  return job;
}

function missing(id: string): never {
  throw notFound(`job ${id} not found: unknown on this endpoint, or expired`);
}

import { Exact, isObject, type Json, type JsonObject, memberSource, numberOf } from '../../core/json.ts';
import { DAY_MS, type EpochMs, type Milliseconds, MINUTE_MS } from '../../core/unit-types.ts';
import { badRequest, type Problem, tooLarge } from '../contract/problem.ts';
import type { Call } from '../http/operation.ts';
import { isThrottled } from '../model/endpoints.ts';
import {
  inProgress,
  type Job,
  queueOf,
  type Submission,
  waitingCount,
  workersIn,
  type WorkerStatus,
} from './records.ts';
import type { State } from '../state/state.ts';

/** Specification 2.5, 4.5. Times in milliseconds. Output is the handler's text: its numbers stay exact. */
export function jobDocument(job: Job, now: EpochMs): Json {
  const { error, output } = job;
  const started = job.startedAt ?? job.finishedAt ?? now;
  const ended = job.finishedAt ?? now;
  return {
    delayTime: Math.max(0, started - job.queuedAt),
    error,
    executionTime: job.startedAt === undefined ? 0 : Math.max(0, ended - job.startedAt),
    id: job.id,
    output: output === undefined ? undefined : new Exact(output),
    status: job.status,
  };
}

export const jobBrief = (job: Job): Json => ({ id: job.id, status: job.status });

/** `failed` counts FAILED and TIMED_OUT; deleted jobs are counted too (specification 4.5, 8). */
export function healthDocument(state: State, endpointId: string): Json {
  const queue = queueOf(state, endpointId);
  const { COMPLETED, FAILED, TIMED_OUT, CANCELLED, retried, expired } = queue.counts;
  const workers = (status: WorkerStatus): number =>
    // A worker whose hardware is taken by others takes no job: it is neither idle nor initializing.
    workersIn(queue).filter(
      (worker) => worker.status === status && (status === 'RUNNING' || !isThrottled(state, worker.hardware)),
    ).length;
  return {
    jobs: {
      completed: COMPLETED,
      failed: FAILED + TIMED_OUT,
      inProgress: inProgress(queue),
      inQueue: waitingCount(queue),
      retried,
      cancelled: CANCELLED,
      expired,
    },
    workers: { idle: workers('IDLE'), running: workers('RUNNING'), initializing: workers('INITIALIZING') },
  };
}

/** Bytes of the complete body; a megabyte is a million bytes (specification 8.2). */
export const PAYLOAD_BYTES = { run: 10_000_000, runsync: 20_000_000 } as const;

/** Results of `run` are kept for 30 minutes after completion (specification 8.2). */
const RETENTION_MS = 30 * MINUTE_MS;
const DEFAULT_TTL_MS = DAY_MS;
const MAX_DURATION_MS = 604_800_000;

/** Drops `s3Config`: no secret is kept. Problem 413 above the payload limit, else 400 with the member. */
export function readSubmission(call: Call, operation: 'run' | 'runsync', retentionMs = RETENTION_MS): Submission {
  const limit = PAYLOAD_BYTES[operation];
  const bytes = Buffer.byteLength(call.bodyText);
  if (bytes > limit)
    throw tooLarge(`the body has ${String(bytes)} bytes; ${operation} takes at most ${String(limit / 1_000_000)} MB`);
  const body = readBody(call);
  if (!isObject(body.input)) throw invalid('input', 'is required and must be a JSON object');
  const policy = readPolicy(body.policy);
  const webhook = readWebhook(body.webhook);
  checkS3(body.s3Config);
  return {
    sync: operation === 'runsync',
    input: memberSource(call.bodyText, 'input') ?? '{}',
    retentionMs,
    ...policy,
    ...(webhook !== undefined && { webhook }),
  };
}

export function readMilliseconds(
  query: URLSearchParams,
  name: string,
  minimum: Milliseconds,
  maximum: Milliseconds,
): Milliseconds | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= minimum && value <= maximum)) throw invalid(name, range(minimum, maximum));
  return value;
}

/** Inexact numbers are many times faster for megabytes; the input keeps its source text. */
function readBody(call: Call): JsonObject {
  let body: Json;
  try {
    body = JSON.parse(call.bodyText.replace(/^\uFEFF/, '')) as Json;
  } catch {
    throw badRequest('the body is not JSON');
  }
  if (isObject(body)) return body;
  throw badRequest('the body must be a JSON object with the member input');
}

function readPolicy(value: Json | undefined): Pick<Submission, 'lowPriority' | 'ttlMs' | 'executionTimeoutMs'> {
  if (value !== undefined && !isObject(value)) throw invalid('policy', 'must be an object');
  const executionTimeoutMs = durationIn(value, 'executionTimeout', 5000);
  const ttlMs = durationIn(value, 'ttl', 10_000) ?? DEFAULT_TTL_MS;
  const lowPriority = value?.lowPriority ?? false;
  if (typeof lowPriority !== 'boolean') throw invalid('policy.lowPriority', 'must be true or false');
  return { lowPriority, ttlMs, ...(executionTimeoutMs !== undefined && { executionTimeoutMs }) };
}

function durationIn(policy: JsonObject | undefined, name: string, minimum: number): number | undefined {
  if (policy?.[name] === undefined) return undefined;
  const value = numberOf(policy[name]);
  if (value === undefined || !Number.isInteger(value) || value < minimum || value > MAX_DURATION_MS)
    throw invalid(`policy.${name}`, range(minimum, MAX_DURATION_MS));
  return value;
}

function readWebhook(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  throw invalid('webhook', 'must be an http or https URL');
}

const S3_MEMBERS = ['accessId', 'accessSecret', 'bucketName', 'endpointUrl'] as const;

function checkS3(value: Json | undefined): void {
  if (value === undefined || value === null) return;
  const complete = isObject(value) && S3_MEMBERS.every((name) => typeof value[name] === 'string');
  if (!complete) throw invalid('s3Config', `must be an object with the strings ${S3_MEMBERS.join(', ')}`);
}

const range = (minimum: number, maximum: number): string =>
  `must be a whole number of milliseconds from ${String(minimum)} to ${String(maximum)}`;

const invalid = (member: string, reason: string): Problem => badRequest(`${member} ${reason}`);

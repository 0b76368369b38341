import {
  decodeJson,
  isObject,
  type Json,
  type JsonObject,
  JsonSyntaxError,
  numberOf,
  parsePlainJson,
} from '../../../core/json.ts';
import { DAY_MS, type EpochMs, type Milliseconds, MINUTE_MS } from '../../../core/unit-types.ts';
import { badRequest, Problem, tooLarge } from '../../contract/problem.ts';
import type { Call } from '../../http/operation.ts';
import { type EndpointRecord, endpoints } from '../../model/endpoints.ts';
import { memberText } from './documents.ts';
import { queueOf, workersIn } from '../state/endpoint-queue.ts';
import { queuesOf, type Submission } from '../state/records.ts';
import type { State } from '../../state/state.ts';

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
    input: memberText(call.bodyText, 'input'),
    retentionMs,
    ...policy,
    ...(webhook !== undefined && { webhook }),
  };
}

/** Fails with Problem 400. */
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

function readBody(call: Call): JsonObject {
  const body = parse(call.bodyText.replace(/^\uFEFF/, ''));
  if (isObject(body)) return body;
  throw badRequest('the body must be a JSON object with the member input');
}

/** Inexact numbers are many times faster for megabytes; the input keeps its source text. */
function parse(text: string): Json {
  try {
    return parsePlainJson(text);
  } catch {
    throw badRequest(`the body is not JSON${positionOfError(text)}`);
  }
}

function positionOfError(text: string): string {
  try {
    decodeJson(text);
    return '';
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return ` (line ${String(error.line)}, column ${String(error.column)}): ${error.message}`;
  }
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

const invalid = (member: string, reason: string): Problem =>
  new Problem(400, 'Bad Request', `${member} ${reason}`, [`${member}: ${reason}`]);

interface Limit {
  /** Requests per ten seconds, for one endpoint and key. */
  readonly perWindow: number;
  /** Concurrent requests, for one endpoint and key. */
  readonly concurrent: number;
}

const WINDOW_MS = 10_000;

/** The known limits per endpoint and key (contract rules, Queue API). Other operations have none. */
const LIMITS: Readonly<Record<string, Limit>> = {
  run: { perWindow: 1000, concurrent: 200 },
  runsync: { perWindow: 2000, concurrent: 400 },
  status: { perWindow: 2000, concurrent: 400 },
  stream: { perWindow: 2000, concurrent: 400 },
  cancel: { perWindow: 100, concurrent: 20 },
  'purge-queue': { perWindow: 2, concurrent: Number.POSITIVE_INFINITY },
};

interface RequestLimiter {
  /** Fails with Problem 429 when a limit is exceeded. */
  run<T>(call: Call, operation: string, work: () => Promise<T>): Promise<T>;
}

export const noLimits: RequestLimiter = { run: (_call, _operation, work) => work() };

/** Windows are counted in the state, concurrent requests in this process. */
export function knownLimits(): RequestLimiter {
  const active = new Map<string, number>();
  return {
    run: async (call, operation, work) => {
      const limit = LIMITS[operation];
      if (limit === undefined) return work();
      const name = `${call.keyId} ${call.params.endpointId ?? ''} ${operation}`;
      const count = (active.get(name) ?? 0) + 1;
      active.set(name, count);
      try {
        await call.transact((state, now) => {
          const endpoint = endpoints.get(state, call.params.endpointId ?? '');
          // The operation answers 404. Counting would keep every name that is requested.
          if (endpoint === undefined) return;
          const capacity = capacityOf(endpoint, state);
          if (count > Math.max(limit.concurrent, capacity)) throw tooMany(`${operation}: too many requests at once`, 1);
          countRequest(state, name, operation, Math.max(limit.perWindow, capacity), now);
        });
        return await work();
      } finally {
        const left = (active.get(name) ?? 1) - 1;
        if (left > 0) active.set(name, left);
        else active.delete(name);
      }
    },
  };
}

/** Workers times requests per worker. A limit is never lower than this. */
function capacityOf(endpoint: EndpointRecord, state: State): number {
  const perWorker = endpoint.scaling.type === 'REQUEST_COUNT' ? endpoint.scaling.requestCount : 1;
  return workersIn(queueOf(state, endpoint.id)).length * perWorker;
}

function countRequest(state: State, name: string, operation: string, most: number, now: EpochMs): void {
  const { windows } = queuesOf(state);
  for (const [each, { from }] of Object.entries(windows))
    if (now >= from + WINDOW_MS) Reflect.deleteProperty(windows, each);
  const window = windows[name] ?? { from: now, count: 0 };
  if (window.count >= most) {
    const seconds = Math.max(1, Math.ceil((window.from + WINDOW_MS - now) / 1000));
    throw tooMany(`${operation}: more than ${String(most)} requests in 10 seconds`, seconds);
  }
  windows[name] = { from: window.from, count: window.count + 1 };
}

const tooMany = (detail: string, seconds: number): Problem =>
  new Problem(429, 'Too Many Requests', detail, undefined, { 'retry-after': String(seconds) });

import { DAY_MS, MINUTE_MS } from '../../../core/durations.ts';
import {
  decodeJson,
  isObject,
  JsonSyntaxError,
  numberOf,
  type Json,
  type JsonObject,
  parsePlainJson,
} from '../../../core/json.ts';
import type { Milliseconds } from '../../../core/unit-types.ts';
import type { Call } from '../../http/call/operation.ts';
import { badRequest, Problem, tooLarge } from '../../contract/problem.ts';
import type { Submission } from '../state/records.ts';
import { memberText } from './member-text.ts';

/** Payload limits in bytes of the whole body; a megabyte is a million bytes (specification 8.2). */
export const PAYLOAD_BYTES = { run: 10_000_000, runsync: 20_000_000 } as const;

/** Results of `run` are kept for 30 minutes after completion (specification 8.2). */
const RETENTION_MS = 30 * MINUTE_MS;
const DEFAULT_TTL_MS = DAY_MS;
const MAX_DURATION_MS = 604_800_000;

/**
 * Reads the body of `run` or `runsync`. Unknown members are ignored: client libraries may add some. `s3Config` is validated
 * and not stored, so that no secret is kept. Fails with Problem 413 above the payload limit, and with 400, naming the
 * member, for everything else.
 */
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

/** A whole number of milliseconds from the query; undefined when it was not given. Fails with Problem 400. */
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

/**
 * The numbers are not exact, which is many times faster for megabytes: the members that are read have no large
 * numbers, and the input is kept as its source text. The exact decoder tells where invalid JSON is broken.
 */
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

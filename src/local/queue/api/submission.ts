import { decodeJson, isObject, JsonSyntaxError, numberOf, type Json, type JsonObject } from '../../../core/json.ts';
import type { Call } from '../../frame/operation.ts';
import { Problem } from '../../contract/problem.ts';
import type { Job } from '../state/records.ts';
import { memberText } from './member-text.ts';

/** What a caller asks for, checked: the part of a job that comes from its body. */
export type Submission = Pick<Job, 'input' | 'lowPriority' | 'retentionMs' | 'webhook' | 'executionTimeoutMs'> & {
  readonly sync: boolean;
  /** Time to live from submission, milliseconds. */
  readonly ttlMs: number;
};

/** Payload limits in bytes of the whole body, a megabyte being a million (specification 8.2). */
export const PAYLOAD_BYTES = { run: 10_000_000, runsync: 20_000_000 } as const;

/** Results of `run` are kept for 30 minutes after completion (specification 8.2). */
const RETENTION_MS = 30 * 60_000;
const DEFAULT_TTL_MS = 86_400_000;
const LONGEST_MS = 604_800_000;

/**
 * The body of `run` or `runsync`. Members that nobody names are accepted and ignored: what a worker's own tools add to a
 * job does no harm here. `s3Config` is checked and then forgotten, so that no secret is kept.
 * Fails with Problem 413 above the payload limit and 400 for everything else, naming the member.
 */
export function readSubmission(call: Call, operation: 'run' | 'runsync', retentionMs = RETENTION_MS): Submission {
  const limit = PAYLOAD_BYTES[operation];
  const bytes = Buffer.byteLength(call.bodyText);
  if (bytes > limit)
    throw new Problem(
      413,
      'Payload Too Large',
      `the body has ${String(bytes)} bytes; ${operation} takes at most ${String(limit / 1_000_000)} MB`,
    );
  const body = readBody(call);
  if (!isObject(body.input)) throw bad('input', 'is required and must be a JSON object');
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

/** A whole number of milliseconds from the query; undefined where it was not given. Fails with Problem 400. */
export function readMilliseconds(
  query: URLSearchParams,
  name: string,
  least: number,
  most: number,
): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) throw bad(name, range(least, most));
  return value;
}

function readBody(call: Call): JsonObject {
  const body = parse(call.bodyText.replace(/^\uFEFF/, ''));
  if (isObject(body)) return body;
  throw new Problem(400, 'Bad Request', 'the body must be a JSON object with the member input');
}

/**
 * Plain JSON.parse, many times faster on a payload of megabytes: of the body's own members no number is too large for
 * it, and the input is kept as its source text. The exact reader says where the text is not JSON.
 */
function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Problem(400, 'Bad Request', `the body is not JSON${whereBroken(text)}`);
  }
}

function whereBroken(text: string): string {
  try {
    decodeJson(text);
    return '';
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return ` (line ${String(error.line)}, column ${String(error.column)}): ${error.message}`;
  }
}

function readPolicy(value: Json | undefined): Pick<Submission, 'lowPriority' | 'ttlMs' | 'executionTimeoutMs'> {
  if (value !== undefined && !isObject(value)) throw bad('policy', 'must be an object');
  const executionTimeoutMs = span(value, 'executionTimeout', 5000);
  const ttlMs = span(value, 'ttl', 10_000) ?? DEFAULT_TTL_MS;
  const lowPriority = value?.lowPriority ?? false;
  if (typeof lowPriority !== 'boolean') throw bad('policy.lowPriority', 'must be true or false');
  return { lowPriority, ttlMs, ...(executionTimeoutMs !== undefined && { executionTimeoutMs }) };
}

function span(policy: JsonObject | undefined, name: string, least: number): number | undefined {
  if (policy?.[name] === undefined) return undefined;
  const value = numberOf(policy[name]);
  if (value === undefined || !Number.isInteger(value) || value < least || value > LONGEST_MS)
    throw bad(`policy.${name}`, range(least, LONGEST_MS));
  return value;
}

function readWebhook(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  throw bad('webhook', 'must be an http or https URL');
}

const S3_MEMBERS = ['accessId', 'accessSecret', 'bucketName', 'endpointUrl'] as const;

function checkS3(value: Json | undefined): void {
  if (value === undefined || value === null) return;
  const complete = isObject(value) && S3_MEMBERS.every((name) => typeof value[name] === 'string');
  if (!complete) throw bad('s3Config', `must be an object with the strings ${S3_MEMBERS.join(', ')}`);
}

const range = (least: number, most: number): string =>
  `must be a whole number of milliseconds from ${String(least)} to ${String(most)}`;

const bad = (member: string, reason: string): Problem =>
  new Problem(400, 'Bad Request', `${member} ${reason}`, [`${member}: ${reason}`]);

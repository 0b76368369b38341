/** Specification 4.5. */

import type { ApiRequest } from '../core/api.ts';
import type { Id } from '../core/ids.ts';
import { encodeJson, Exact, isObject, type Json } from '../core/json.ts';
import type { Milliseconds } from '../core/unit-types.ts';
import { PAYLOAD_LIMITS } from './limits.ts';

type EndpointId = Id<'endpoint'>;

const request = (method: 'GET' | 'POST', endpointId: EndpointId, ...operation: readonly string[]): ApiRequest => ({
  service: 'queue',
  method,
  path: ['v2', endpointId, ...operation],
});

/** Without a body: submissions to one endpoint share it. */
export const runRequest = (endpointId: EndpointId): ApiRequest => ({
  ...request('POST', endpointId, 'run'),
  expects: 'created',
});

/** `waitMs`: how long the answer is delayed for the result. */
export const runSyncRequest = (endpointId: EndpointId, waitMs: number): ApiRequest => ({
  ...request('POST', endpointId, 'runsync'),
  expects: 'created',
  query: { wait: waitMs },
});

/** `ttlMs` also resets the TTL. One per poll, so nothing is spread: 1 us slower on Node 20. */
export const statusRequest = (endpointId: EndpointId, job: string, ttlMs?: number): ApiRequest => ({
  service: 'queue',
  method: 'GET',
  path: ['v2', endpointId, 'status', job],
  id: job,
  expects: { has: 'status' },
  query: { ttl: ttlMs },
});

const jobRequest =
  (method: 'GET' | 'POST', operation: string, expects: NonNullable<ApiRequest['expects']>) =>
  (endpointId: EndpointId, job: string): ApiRequest => ({
    ...request(method, endpointId, operation, job),
    id: job,
    expects,
  });

export const streamRequest = jobRequest('GET', 'stream', 'chunks');
export const cancelRequest = jobRequest('POST', 'cancel', { has: 'status' });
export const retryRequest = jobRequest('POST', 'retry', { has: 'status' });

export const purgeRequest = (endpointId: EndpointId): ApiRequest => ({
  ...request('POST', endpointId, 'purge-queue'),
  expects: { has: 'removed' },
});

export const healthRequest = (endpointId: EndpointId): ApiRequest => request('GET', endpointId, 'health');

export interface JobOptions {
  readonly webhook?: string | undefined;
  readonly executionTimeout?: Milliseconds | undefined;
  readonly ttl?: Milliseconds | undefined;
  readonly lowPriority?: boolean | undefined;
}

/** JSON text: `,"policy":{"ttl":60000}`, or empty. */
export function optionsText({ webhook, executionTimeout, ttl, lowPriority }: JobOptions): string {
  const policy = encodeJson({ executionTimeout, lowPriority: lowPriority === true || undefined, ttl });
  const text = encodeJson({ webhook, policy: policy === '{}' ? undefined : new Exact(policy) }).slice(1, -1);
  return text === '' ? '' : `,${text}`;
}

/** Members of a submission beside `input` (contract rules, Queue API). */
const BESIDE_INPUT: readonly string[] = ['webhook', 'policy', 's3Config'];

/** A whole submission, which would become the input of another one. */
export const isSubmission = (value: Json): boolean =>
  isObject(value) &&
  Object.keys(value).length > 1 &&
  Object.hasOwn(value, 'input') &&
  Object.keys(value).every((name) => name === 'input' || BESIDE_INPUT.includes(name));

const OPEN = Buffer.from('{"input":');
const CLOSE = Buffer.from('}');

export const maxInputBytes = (options: string): number =>
  PAYLOAD_LIMITS.run - submissionBody(new Uint8Array(0), options).byteLength;

/** The input must be JSON text and is kept byte for byte. */
export const submissionBody = (input: Uint8Array, options: string): Uint8Array =>
  Buffer.concat([OPEN, input, options === '' ? CLOSE : Buffer.from(`${options}}`)]);

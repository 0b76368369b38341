/** Specification 4.5. */
import type { ApiRequest } from '../core/api.ts';
import type { Id } from '../core/ids.ts';

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

export const streamRequest = (endpointId: EndpointId, job: string): ApiRequest => ({
  ...request('GET', endpointId, 'stream', job),
  id: job,
  expects: 'chunks',
});

export const cancelRequest = (endpointId: EndpointId, job: string): ApiRequest => ({
  ...request('POST', endpointId, 'cancel', job),
  id: job,
  expects: { has: 'status' },
});

export const retryRequest = (endpointId: EndpointId, job: string): ApiRequest => ({
  ...request('POST', endpointId, 'retry', job),
  id: job,
  expects: { has: 'status' },
});

export const purgeRequest = (endpointId: EndpointId): ApiRequest => ({
  ...request('POST', endpointId, 'purge-queue'),
  expects: { has: 'removed' },
});

export const healthRequest = (endpointId: EndpointId): ApiRequest => request('GET', endpointId, 'health');

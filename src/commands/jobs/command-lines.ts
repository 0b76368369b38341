import type { ApiRequest } from '../../core/api.ts';
import type { Id } from '../../core/ids.ts';
import { commandLine } from '../../cli/words.ts';

/** An endpoint's name stands for its id; a model slug is taken as it is. */
export { ENDPOINTS } from '../shared/collections.ts';

type Options = Pick<ApiRequest, 'query' | 'body' | 'deadlineMs' | 'id' | 'checkCommand' | 'expects'>;

/** POST {queue}/v2/ENDPOINT/OPERATION (specification 4.5). */
export const queuePost = (
  endpoint: Id<'endpoint'>,
  operation: readonly string[],
  options: Options = {},
): ApiRequest => ({
  service: 'queue',
  method: 'POST',
  path: ['v2', endpoint, ...operation],
  // The queue has no list of jobs: its counts are what tells whether something arrived.
  checkCommand: commandLine('health', endpoint),
  ...options,
});

/** GET {queue}/v2/ENDPOINT/OPERATION (specification 4.5). */
export const queueGet = (
  endpoint: Id<'endpoint'>,
  operation: readonly string[],
  options: Options = {},
): ApiRequest => ({
  service: 'queue',
  method: 'GET',
  path: ['v2', endpoint, ...operation],
  ...options,
});

export const statusRequest = (endpoint: Id<'endpoint'>, job: string, ttlMs?: number): ApiRequest =>
  queueGet(endpoint, ['status', job], { id: job, ...(ttlMs === undefined ? {} : { query: { ttl: ttlMs } }) });

/** The command lines that follow a job, for hints. */
export const waitLine = (endpoint: string, ...jobs: readonly string[]): string =>
  commandLine('jobs', 'wait', endpoint, ...jobs);
export const statusLine = (endpoint: string, job: string): string => commandLine('jobs', 'status', endpoint, job);

import type { ApiAnswer, ApiRequest, BatchApi } from '../../../src/core/api.ts';

/** The parts of a BatchApi that a batch uses. Prepared requests go through `send` too. */
export const batchApiOf = (send: (request: ApiRequest) => Promise<ApiAnswer>): Pick<BatchApi, 'send' | 'prepare'> => ({
  send,
  prepare: (request) => ({ send: (body) => send({ ...request, body }) }),
});

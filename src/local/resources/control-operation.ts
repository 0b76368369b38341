import { unpublished, type Operation } from '../http/call/operation.ts';

/** An operation that controls the local service itself; `body` names the schema of its body. */
export const control = (
  id: string,
  request: string,
  run: Operation['run'],
  body?: string,
  parameters: Operation['parameters'] = [],
): Operation =>
  unpublished(id, request, { service: 'control', run, parameters, ...(body === undefined ? {} : { body }) });

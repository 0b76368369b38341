import { requireAccess, type Access, type AllowedAccess } from '../../core/access.ts';
import type { ApiRequest } from '../../core/api.ts';
import { isObject, memberAt, tryDecodeJson, type Json } from '../../core/json.ts';

/**
 * Returns what a request needs. It needs `full` when it destroys something: a DELETE, a PUT that replaces a whole set,
 * the purge of a queue, the termination of a pod. Only `request` is looked at, so that a raw request of `berth api` is
 * treated like that of a command.
 */
function accessNeeded(request: ApiRequest): Access {
  if (request.method === 'GET') return 'read';
  return (request.destroys ?? destroysByDefault(request)) ? 'full' : 'write';
}

function destroysByDefault({ method, path, body }: ApiRequest): boolean {
  const last = path.at(-1);
  if (method === 'DELETE' || method === 'PUT' || last === 'purge-queue') return true;
  return last === 'action' && memberAt(jsonBody(body), 'action') === 'terminate';
}

function jsonBody(body: ApiRequest['body']): Json | undefined {
  const raw = isObject(body) ? (body as { readonly raw?: unknown }).raw : undefined;
  if (!(raw instanceof Uint8Array)) return body as Json | undefined;
  return tryDecodeJson(Buffer.from(raw).toString());
}

/** Fails with denied (3) when a request needs more than is allowed. Call it before anything is sent. */
export const checkAccess = (request: ApiRequest, allowed: AllowedAccess): void => {
  requireAccess(accessNeeded(request), allowed);
};

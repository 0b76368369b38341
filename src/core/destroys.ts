import type { ApiRequest } from './api.ts';
import { isObject, memberAt, tryDecodeJson, type Json } from './json.ts';

/**
 * Whether a request destroys something: a DELETE, a PUT that replaces a whole set, the purge of a queue, the termination of a pod.
 * Of the requests that control a local service, only its reset does: a DELETE removes a fault, or sets stock back.
 * Only the request is looked at, so that a raw one of `berth api` is treated like that of a command.
 */
export function destroysAnything({ method, path, body, destroys }: ApiRequest): boolean {
  if (destroys !== undefined) return destroys;
  const last = path.at(-1);
  if (path[0] === 'local') return last === 'reset';
  if (method === 'DELETE' || method === 'PUT' || last === 'purge-queue') return true;
  return last === 'action' && memberAt(jsonBody(body), 'action') === 'terminate';
}

function jsonBody(body: ApiRequest['body']): Json | undefined {
  const raw = isObject(body) ? body['raw'] : undefined;
  if (!(raw instanceof Uint8Array)) return body as Json | undefined;
  return tryDecodeJson(Buffer.from(raw).toString());
}

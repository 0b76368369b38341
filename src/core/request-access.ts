import type { Access } from './access.ts';
import type { ApiRequest } from './api.ts';
import { isObject, type Json, memberAt, tryDecodeJson } from './json.ts';

/** Looks only at the request, so `berth api` is treated alike. In the local service, only reset destroys. */
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

export function accessNeeded(request: ApiRequest): Access {
  if (request.method === 'GET') return 'read';
  return destroysAnything(request) ? 'full' : 'write';
}

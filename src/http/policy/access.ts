import type { ApiRequest } from '../../core/api.ts';
import { EXIT } from '../../core/exit-codes.ts';
import { Failure } from '../../core/failure.ts';
import { isObject, memberAt, tryDecodeJson, type Json } from '../../core/json.ts';

/** What requests may do: only read; also create and change; also destroy. Each includes the ones before it. */
export const ACCESS_LEVELS = ['read', 'write', 'full'] as const;
export type Access = (typeof ACCESS_LEVELS)[number];

/** What the `access` setting allows, and where its value comes from, such as `BERTH_ACCESS`. */
export interface AllowedAccess {
  readonly level: Access;
  readonly from: string;
}

/**
 * Returns what a request needs. It needs `full` when it destroys something: a DELETE, a PUT that replaces a whole set,
 * the purge of a queue, the termination of a pod. Only `request` is looked at, so that a raw request of `berth api` is
 * treated like that of a command.
 */
export function accessNeeded(request: ApiRequest): Access {
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
export function checkAccess(request: ApiRequest, { level, from }: AllowedAccess): void {
  const needed = accessNeeded(request);
  if (ACCESS_LEVELS.indexOf(needed) <= ACCESS_LEVELS.indexOf(level)) return;
  throw new Failure({
    code: 'access',
    exit: EXIT.denied,
    message: `this needs \`${needed}\` access, and the setting access is \`${level}\` ${from}; nothing was sent`,
    hint: `Allow it for one command: BERTH_ACCESS=${needed}. Or for the profile: berth config set access ${needed}.`,
  });
}

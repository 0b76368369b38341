import { accessFailure, isAllowed, type Access, type AllowedAccess } from './access.ts';
import type { ApiRequest } from './api.ts';
import type { Failure } from './failure.ts';
import { destroysAnything } from './destroys.ts';

/** Returns what a request needs; `full` when it destroys something. */
export function accessNeeded(request: ApiRequest): Access {
  if (request.method === 'GET') return 'read';
  return destroysAnything(request) ? 'full' : 'write';
}

/** The failure of the first of these requests that is not allowed; undefined where all are allowed. For a dry run. */
export function accessRefusal(requests: readonly ApiRequest[], allowed: AllowedAccess): Failure | undefined {
  const needed = requests.map(accessNeeded).find((each) => !isAllowed(each, allowed));
  return needed === undefined ? undefined : accessFailure(needed, allowed);
}

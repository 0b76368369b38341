import { isAllowed, wouldBeRefused, type Access, type AllowedAccess } from './access.ts';
import type { ApiRequest } from './api.ts';
import { destroysAnything } from './destroys.ts';

/** Returns what a request needs; `full` when it destroys something. */
export function accessNeeded(request: ApiRequest): Access {
  if (request.method === 'GET') return 'read';
  return destroysAnything(request) ? 'full' : 'write';
}

/** Why the first of these requests that is not allowed would be refused; undefined where all are allowed. For a dry run. */
export function accessRefusal(requests: readonly ApiRequest[], allowed: AllowedAccess): string | undefined {
  const needed = requests.map(accessNeeded).find((each) => !isAllowed(each, allowed));
  return needed === undefined ? undefined : wouldBeRefused(needed, allowed);
}

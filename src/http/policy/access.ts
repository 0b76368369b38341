import { requireAccess, type Access, type AllowedAccess } from '../../core/access.ts';
import type { ApiRequest } from '../../core/api.ts';
import { destroysAnything } from '../../core/destroys.ts';

/** Returns what a request needs; `full` when it destroys something. */
function accessNeeded(request: ApiRequest): Access {
  if (request.method === 'GET') return 'read';
  return destroysAnything(request) ? 'full' : 'write';
}

/** Fails with denied (3) when a request needs more than is allowed. Call it before anything is sent. */
export const checkAccess = (request: ApiRequest, allowed: AllowedAccess): void => {
  requireAccess(accessNeeded(request), allowed);
};

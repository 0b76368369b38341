import { requireAccess, type AllowedAccess } from '../../core/access.ts';
import type { ApiRequest } from '../../core/api.ts';
import { accessNeeded } from '../../core/request-access.ts';

/** Fails with denied (3) when a request needs more than is allowed. Call it before anything is sent. */
export const checkAccess = (request: ApiRequest, allowed: AllowedAccess): void => {
  requireAccess(accessNeeded(request), allowed);
};

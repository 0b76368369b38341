import type { Operation, ServiceKind } from '../frame/operation.ts';
import { ROWS, type OperationId } from './rows.ts';

/** An operation of the published contract: its row and what it does. */
export const operation = (id: OperationId, run: Operation['run']): Operation => ({ ...ROWS[id], id, run });

type Rest = Pick<Operation, 'run' | 'body'> & { readonly service?: ServiceKind };

/**
 * An operation that the published contract does not have, by its method and path: `GET /v2/things`. It is routed,
 * checked, counted and signed like every other, and not published.
 */
export function unpublished(id: string, request: string, { service = 'base', ...rest }: Rest): Operation {
  const [method, path] = request.split(' ') as [Operation['method'], string];
  return { id, service, method, path, scope: scopeOf(service, method), ...rest };
}

function scopeOf(service: ServiceKind, method: Operation['method']): Operation['scope'] {
  switch (service) {
    case 'queue':
      return 'jobs';
    case 'control':
      return 'control';
    case 'base':
    case 'rest':
      return method === 'GET' ? 'read' : 'write';
  }
}

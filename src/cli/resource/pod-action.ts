import { PODS } from './collections.ts';
import type { ApiRequest } from '../../core/api.ts';
import type { Id } from '../../core/ids.ts';
import { berth } from '../../core/message.ts';

/** Its result is known only by reading the pod (contract rules, Pods: actions). */
export const podAction = (id: Id<'pod'>, action: 'start' | 'stop' | 'restart') =>
  ({
    service: 'base',
    method: 'POST',
    path: [...PODS.path, id, 'action'],
    body: { action },
    id,
    expects: 'resource',
    checkCommand: berth`pods get ${id}`,
  }) as const satisfies ApiRequest;

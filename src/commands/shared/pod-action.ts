import type { ApiRequest } from '../../core/api.ts';
import type { Id } from '../../core/ids.ts';
import { berth } from '../../core/message.ts';
import { PODS } from './collections.ts';

/** The request that starts, stops or restarts a pod (contract rules, Pods: actions). What became of it, reading the pod says. */
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

import { accountOperations } from './account.ts';
import { billingOperations } from './billing/operations.ts';
import { catalogOperations } from './catalog/operations.ts';
import { clusterOperations } from './clusters/operations.ts';
import { delegationOperations } from './registries/delegations.ts';
import { endpointOperations } from './endpoints/operations.ts';
import type { Operation } from './operation.ts';
import { podOperations } from './pods/operations.ts';
import { createQueueOperations, type QueueOptions } from './queue/index.ts';
import { registryOperations } from './registries/operations.ts';
import { templateOperations } from './templates/operations.ts';
import { volumeOperations } from './volumes/operations.ts';

/** Every operation the local service answers, but for its own control requests. A new resource is one more line. */
export const createTable = (options: QueueOptions): readonly Operation[] => [
  ...accountOperations,
  ...podOperations,
  ...clusterOperations,
  ...endpointOperations,
  ...templateOperations,
  ...volumeOperations,
  ...registryOperations,
  ...delegationOperations,
  ...catalogOperations,
  ...billingOperations,
  ...createQueueOperations(options),
];

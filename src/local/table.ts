import type { Operation } from './http/call/operation.ts';
import { createQueueOperations, type QueueOptions } from './queue/index.ts';
import { accountOperations } from './resources/account.ts';
import { billingOperations } from './resources/billing/operations.ts';
import { catalogOperations } from './resources/catalog/operations.ts';
import { clusterOperations } from './resources/clusters/operations.ts';
import { endpointOperations } from './resources/endpoints/operations.ts';
import { podOperations } from './resources/pods/operations.ts';
import { delegationOperations } from './resources/registries/delegations.ts';
import { registryOperations } from './resources/registries/operations.ts';
import { secretOperations } from './resources/secrets/operations.ts';
import { templateOperations } from './resources/templates/operations.ts';
import { volumeOperations } from './resources/volumes.ts';

/** All operations of the local service but its control operations and those of the worker protocol. A new resource is one more line. */
export const createTable = (options: QueueOptions): readonly Operation[] => [
  ...accountOperations,
  ...secretOperations,
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

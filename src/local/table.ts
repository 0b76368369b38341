import type { Operation } from './http/operation.ts';
import { createQueueOperations, type QueueOptions } from './queue/operations.ts';
import { accountOperations, secretOperations } from './resources/account.ts';
import { billingOperations } from './resources/billing.ts';
import { catalogOperations } from './resources/catalog.ts';
import { clusterOperations } from './resources/clusters.ts';
import { endpointOperations } from './resources/endpoints/operations.ts';
import { podOperations } from './resources/pods/operations.ts';
import { delegationOperations, registryOperations } from './resources/registries.ts';
import { tagOperations } from './resources/tags.ts';
import { templateOperations } from './resources/templates.ts';
import { globalVolumeOperations, volumeOperations } from './resources/volumes.ts';

/** Without control operations and the worker protocol. */
export const createTable = (options: QueueOptions): readonly Operation[] => [
  ...accountOperations,
  ...secretOperations,
  ...podOperations,
  ...clusterOperations,
  ...endpointOperations,
  ...templateOperations,
  ...volumeOperations,
  ...globalVolumeOperations,
  ...tagOperations,
  ...registryOperations,
  ...delegationOperations,
  ...catalogOperations,
  ...billingOperations,
  ...createQueueOperations(options),
];

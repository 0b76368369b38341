/** The list of each kind of resource: to resolve names to ids, and to pick from. */

import type { Collection } from '../model/collection.ts';
import { arg } from '../model/params.ts';
import type { ApiRequest } from '../../core/api.ts';
import type { Id } from '../../core/ids.ts';
import { berth } from '../../core/message.ts';

export const PODS: Collection<'pod'> = {
  noun: 'pod',
  path: ['v2', 'pods'],
  member: 'pods',
  schema: 'Pod',
  // The plain list leaves out pods of clusters, which have names too (contract rules, Pods).
  lookupQuery: { includeClusterPods: 'true' },
  described: ['status', { hourly: 'cost' }],
};
export const ENDPOINTS: Collection<'endpoint'> = {
  noun: 'endpoint',
  path: ['v2', 'serverless'],
  member: 'endpoints',
  schema: 'Endpoint',
};
export const TEMPLATES: Collection<'template'> = {
  noun: 'template',
  path: ['v2', 'templates'],
  member: 'templates',
  schema: 'Template',
  described: ['image'],
};
export const VOLUMES: Collection<'volume'> = {
  noun: 'volume',
  path: ['v2', 'network-volumes'],
  member: 'networkVolumes',
  schema: 'NetworkVolume',
  described: [{ gigabytes: 'size' }, 'dataCenter'],
};
export const REGISTRIES: Collection<'registry'> = {
  noun: 'registry',
  path: ['v2', 'registries'],
  member: 'registries',
  schema: 'Registry',
};
export const CLUSTERS: Collection<'cluster'> = {
  noun: 'cluster',
  path: ['v2', 'clusters'],
  member: 'clusters',
  schema: 'Cluster',
};
export const GPUS: Collection<'GPU type'> = {
  noun: 'GPU type',
  path: ['v2', 'catalog', 'gpus'],
  member: 'gpus',
  schema: 'GpuType',
  listed: 'catalog gpus',
  idsOnly: true,
  described: [{ gigabytes: 'memory' }, { hourly: 'price.secure' }],
};
/** Not paginated (additions 1). */
export const SECRETS: Collection<'secret'> = {
  noun: 'secret',
  path: ['v2', 'account', 'secrets'],
  member: 'secrets',
  schema: 'Secret',
  described: ['description'],
};
export const POOLS: Collection<'GPU pool'> = {
  noun: 'GPU pool',
  path: ['v2', 'catalog', 'gpus'],
  member: 'gpus',
  value: 'pool',
  listed: 'catalog gpus',
  idsOnly: true,
  described: [{ hourly: 'price.serverless' }],
};
export const CPUS: Collection<'CPU flavor'> = {
  noun: 'CPU flavor',
  path: ['v2', 'catalog', 'cpus'],
  member: 'cpus',
  schema: 'CpuType',
  listed: 'catalog cpus',
  idsOnly: true,
  described: [{ hourly: 'price.securePerVcpu' }],
};
export const DATA_CENTERS: Collection<'data center'> = {
  noun: 'data center',
  path: ['v2', 'catalog', 'datacenters'],
  member: 'dataCenters',
  schema: 'DataCenter',
  listed: 'catalog datacenters',
  idsOnly: true,
  described: ['region'],
};

export const ENDPOINT_ARGUMENT = arg.text('endpoint id or name', { metavar: 'ENDPOINT', complete: ENDPOINTS });

/** May be a public endpoint. */
export const QUEUE_ARGUMENT = arg.text('endpoint id, name or model slug', { complete: ENDPOINTS });

/** Contract, Cloud. */
export const CLOUDS = ['SECURE', 'COMMUNITY'] as const;

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

/** The list of each kind of resource: to resolve names to ids, and to pick from. */

import type { Collection } from '../model/collection.ts';
import type { ApiRequest } from '../../core/api.ts';
import type { Id } from '../../core/ids.ts';
import { berth } from '../../core/message.ts';

const collection = <N extends string>(
  noun: N,
  path: string,
  member: string,
  more: Partial<Omit<Collection, 'noun'>>,
): Collection<N> => ({ noun, path: ['v2', ...path.split('/')], member, ...more });

export const PODS = collection('pod', 'pods', 'pods', {
  schema: 'Pod',
  // The plain list leaves out pods of clusters, which have names too (contract rules, Pods).
  lookupQuery: { includeClusterPods: 'true' },
  described: ['status', { hourly: 'cost' }],
});
export const ENDPOINTS = collection('endpoint', 'serverless', 'endpoints', { schema: 'Endpoint' });
export const TEMPLATES = collection('template', 'templates', 'templates', { schema: 'Template', described: ['image'] });
export const VOLUMES = collection('volume', 'network-volumes', 'networkVolumes', {
  schema: 'NetworkVolume',
  described: [{ gigabytes: 'size' }, 'dataCenter'],
});
export const REGISTRIES = collection('registry', 'registries', 'registries', { schema: 'Registry' });
export const CLUSTERS = collection('cluster', 'clusters', 'clusters', { schema: 'Cluster' });
export const SECRETS = collection('secret', 'account/secrets', 'secrets', {
  schema: 'Secret',
  described: ['description'],
});
export const GPUS = collection('GPU type', 'catalog/gpus', 'gpus', {
  schema: 'GpuType',
  listed: 'catalog gpus',
  idsOnly: true,
  described: [{ gigabytes: 'memory' }, { hourly: 'price.secure' }],
});
export const POOLS = collection('GPU pool', 'catalog/gpus', 'gpus', {
  value: 'pool',
  listed: 'catalog gpus',
  idsOnly: true,
  described: [{ hourly: 'price.serverless' }],
});
export const CPUS = collection('CPU flavor', 'catalog/cpus', 'cpus', {
  schema: 'CpuType',
  listed: 'catalog cpus',
  idsOnly: true,
  described: [{ hourly: 'price.securePerVcpu' }],
});
export const DATA_CENTERS = collection('data center', 'catalog/datacenters', 'dataCenters', {
  schema: 'DataCenter',
  listed: 'catalog datacenters',
  idsOnly: true,
  described: ['region'],
});

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
